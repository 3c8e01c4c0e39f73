"""cuMemPrefetchAsync: which pages it names a place for, what counts as a prefetch, streams, content."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, must, new_context, pattern, raw, read, write
from ...helpers.kernels import i32
from ...helpers.managed_memory import MIB, PAGE, PLACES, PLAIN, advise, by_page, facts, fresh, host_write, prefetch, prefetch_and_wait, sure
from ...helpers.streams import LEGACY, PER_THREAD, Gate


@question("a prefetch of some bytes is remembered for every page that they touch")
def by_bytes():
    for offset, size in ((0, 100), (100, 100), (0, PAGE), (PAGE - 100, 200), (PAGE - 1, 1), (PAGE, 1), (PAGE - 1, 2), (100, 3 * PAGE)):
        a = fresh()
        for place in ("device", "host"):
            prefetch_and_wait(a + offset, size, place)
            yield f"{size} bytes at {offset}, to the {place}", by_page(a, 5, mm.PREFETCHED)


@question("a prefetch names a device that is there, the host, whose number is not remembered, or one of its nodes")
def places():
    for place in PLACES:
        a = fresh()
        yield place, lambda: [prefetch(a, PAGE, place), ask(cu.cuCtxSynchronize()), facts(a, PAGE)]


@question("the older prefetch names the host by -1", alone=True)
def older_call():
    for device in (0, -1, -2, 1, 5):
        a = fresh()
        yield f"device {device}", lambda: [raw("cuMemPrefetchAsync", a, PAGE, device, 0), ask(cu.cuCtxSynchronize()), facts(a, PAGE)]


@question("only a prefetch is remembered as one: not what host, kernels, memsets and copies touch")
def touched_otherwise():
    touches = {"host": lambda a: host_write(a, 1), "kernel": lambda a: must(kernels.run("fill", a, i32(1), i32(64))),
               "memset": lambda a: must(cu.cuMemsetD8(a, 1, 64)), "copied to": lambda a: write(a, bytes(64)),
               "copied from": lambda a: read(a, 64)}
    for label, touch in touches.items():
        a = fresh()
        touch(a)
        must(cu.cuCtxSynchronize())
        yield f"never prefetched, {label}", facts(a, PAGE)
        for place in ("device", "host"):
            prefetch_and_wait(a, PAGE, place)
            touch(a)
            must(cu.cuCtxSynchronize())
            yield f"prefetched to the {place}, {label}", facts(a, PAGE)


@question("content stays through prefetches in both directions and writes between them")
def content():
    a = fresh()
    ctypes.memmove(a, pattern(8192), 8192)
    for step, place in enumerate(("device", "host", "device", "device", "host numa", "host")):
        prefetch_and_wait(a, 4 * MIB, place)
        must(kernels.run("fill", a + 8 * step, i32(0x70 + step), i32(2)))
        host_write(a + 8 * step + 2, 0xA0 + step, 2)
        yield f"{step}: {place}", [read(a, 48).hex(), ctypes.string_at(a, 48).hex()]
    yield "the rest", ctypes.string_at(a + 48, 8144) == pattern(8192)[48:]


@question("pages that nobody touched are zero wherever they were prefetched")
def untouched():
    for place in PLAIN:
        a = fresh()
        yield place, [prefetch(a, 4 * MIB, place), ask(cu.cuCtxSynchronize()), set(read(a + MIB, 256)) == {0}, set(ctypes.string_at(a, 4 * MIB)) == {0}]


@question("part of a block is prefetched, the rest never was")
def part():
    a = fresh()
    prefetch_and_wait(a, 2 * MIB, "device")
    yield "first half", facts(a, 2 * MIB)
    yield "second half", facts(a + 2 * MIB, 2 * MIB)
    yield "all", facts(a, 4 * MIB)
    prefetch_and_wait(a + 2 * MIB, 2 * MIB, "host")
    yield "halves in two places", facts(a, 4 * MIB)
    prefetch_and_wait(a, 4 * MIB, "device")
    yield "all in one again", facts(a, 4 * MIB)


@question("a prefetch to another place than the preferred one is done and remembered")
def preferred():
    for preferred in PLAIN:
        for place in PLAIN:
            a = fresh()
            host_write(a, 7)
            yield f"preferred {preferred}, to {place}", [
                advise(a, PAGE, "SET_PREFERRED_LOCATION", preferred), prefetch(a, PAGE, place), ask(cu.cuCtxSynchronize()), facts(a, PAGE),
                read(a, 4).hex()]


@question("memory attached to the host or to one stream is prefetched as any other")
def attached():
    s, t = (must(cu.cuStreamCreate(1)) for _ in range(2))
    for flags in (1, 2, 4):
        a = fresh()
        must(cu.cuStreamAttachMemAsync(s, a, 0, flags))
        must(cu.cuStreamSynchronize(s))
        for label, stream in (("that stream", s), ("another", t), ("the NULL stream", 0)):
            yield f"attached with {flags}: {label}", [prefetch(a, PAGE, "device", 0, stream), ask(cu.cuStreamSynchronize(stream)), facts(a, PAGE)]
    host = fresh(flags=2)
    yield "allocated for the host", [prefetch(host, PAGE), ask(cu.cuCtxSynchronize()), facts(host, PAGE)]


@question("a prefetch goes into any stream", alone=True)
def streams():
    a = fresh()
    own, blocking = must(cu.cuStreamCreate(1)), must(cu.cuStreamCreate(0))
    for label, stream in (("NULL", 0), ("legacy", LEGACY), ("per thread", PER_THREAD), ("non-blocking", own), ("blocking", blocking)):
        yield label, [prefetch(a, PAGE, "device", 0, stream), ask(cu.cuStreamSynchronize(stream))]
    yield "flags 2", prefetch(a, PAGE, "device", 2)
    context = must(cu.cuCtxGetCurrent())
    new_context()
    other_stream = must(cu.cuStreamCreate(1))
    yield "memory of another context", [prefetch(a, PAGE, "host", 0, other_stream), ask(cu.cuStreamSynchronize(other_stream)),
                                        facts(a, PAGE)]
    must(cu.cuCtxSetCurrent(context))
    yield "a stream of another context", [prefetch(a, PAGE, "device", 0, other_stream), ask(cu.cuStreamSynchronize(other_stream)),
                                          facts(a, PAGE)]
    must(cu.cuCtxSetCurrent(0))
    yield "no context, NULL stream", lambda: prefetch(a, PAGE, "device", 0, 0)
    yield "no context, a stream", lambda: prefetch(a, PAGE, "device", 0, own)
    must(cu.cuCtxSetCurrent(context))
    must(cu.cuStreamDestroy(own))
    yield "destroyed", lambda: prefetch(a, PAGE, "device", 0, own)
    yield "a number that is no stream", lambda: prefetch(a, PAGE, "device", 0, 12345)


@question("a prefetch waits for its stream, and a range tells of it at once", alone=True)
def behind_other_work():
    s, a = must(cu.cuStreamCreate(1)), fresh()
    prefetch_and_wait(a, PAGE, "host")
    gate = Gate(s)    # no answer is a function while it is closed: workers.py waits for the context after each of those
    yield "behind a kernel that waits", [prefetch(a, PAGE, "device", 0, s), ask(cu.cuStreamQuery(s)), facts(a, PAGE)]
    host_write(a, 7)
    yield "the host writes and reads meanwhile", [ctypes.string_at(a, 2).hex(), ask(cu.cuStreamQuery(s))]
    gate.open()
    yield "when the kernel has ended", [ask(cu.cuStreamSynchronize(s)), facts(a, PAGE), ctypes.string_at(a, 2).hex(), read(a, 2).hex()]


@question("advice waits for no stream", alone=True)
def advice_beside_other_work():
    s, a = must(cu.cuStreamCreate(1)), fresh()
    gate = Gate(s)
    for advice in ("SET_READ_MOSTLY", "SET_PREFERRED_LOCATION", "SET_ACCESSED_BY"):
        yield advice, [advise(a, PAGE, advice), ask(cu.cuStreamQuery(s)), facts(a, PAGE)]
    gate.open()
    yield "synchronize", ask(cu.cuStreamSynchronize(s))


@question("a stream that captures takes no prefetch", alone=True)
def captured():
    def meanwhile(call):
        s = must(cu.cuStreamCreate(1))
        begun = ask(cu.cuStreamBeginCapture(s, cu.CUstreamCaptureMode(2)))
        answered = call(s)
        return [begun, answered, ask(cu.cuStreamEndCapture(s))]
    a = fresh()
    yield "prefetch", [meanwhile(lambda s: prefetch(a, PAGE, "device", 0, s)), facts(a, PAGE)]
    yield "prefetch in another stream", [meanwhile(lambda s: prefetch(a, PAGE, "device", 0, must(cu.cuStreamCreate(1)))), facts(a, PAGE)]
    yield "attach", meanwhile(lambda s: ask(cu.cuStreamAttachMemAsync(s, a, 0, 1)))
    yield "advice", [meanwhile(lambda s: advise(a, PAGE, "SET_READ_MOSTLY")), facts(a, PAGE)]
    yield "allocate", meanwhile(lambda s: ask(cu.cuMemAllocManaged(PAGE, 1)))
    yield "prefetch in a batch", meanwhile(lambda s: mm.batch(mm.PREFETCH, [a], [PAGE], ["device"], stream=s))
    yield "discard", meanwhile(lambda s: mm.batch(mm.DISCARD, [a], [2 * MIB], stream=s))


@question("memory that was freed, or is not all there, is not prefetched, but a size that wraps around is overlooked")
def borders():
    a = fresh()
    for label, offset, size in (("all", 0, 4 * MIB), ("a byte more", 0, 4 * MIB + 1), ("over the end", 4 * MIB - 1, 2),
                                ("the last byte", 4 * MIB - 1, 1), ("a terabyte", 0, 1 << 40), ("wraps around", PAGE, (1 << 64) - PAGE)):
        yield label, [prefetch(a + offset, size), ask(cu.cuCtxSynchronize())]
    small = fresh(100)
    for size in (99, 100, 101, PAGE):
        yield f"{size} bytes of 100", prefetch(small, size)
    must(cu.cuCtxSynchronize())
    must(cu.cuMemFree(a))
    yield "freed", prefetch(a, PAGE)
    yield "one that is under way is freed", [sure(prefetch(b := fresh(), 4 * MIB)), ask(cu.cuMemFree(b)), ask(cu.cuCtxSynchronize())]
