"""Slips with managed memory: wrong bytes, wrong order, wrong ends, two at once; a refused call costs nothing."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, must, name, new_context, raw, read
from ...helpers.kernels import i32
from ...helpers.managed_calls import attach, free_one
from ...helpers.managed_memory import MIB, PAGE, advise, attribute, batch, facts, fresh, host_byte, host_write, prefetch
from ...helpers.memory_kinds import make
from ...helpers.pointer_attributes import ATTRIBUTES, driver_knows, int_attribute
from ...helpers.streams import PER_THREAD, stream


@question("a refused call about managed memory leaves the context and the memory to the next call")
def not_sticky():
    a, s = fresh(), stream()
    host_write(a, 7)
    slips = {"register": lambda: ask(cu.cuMemHostRegister(a, PAGE, 0)), "free inside": lambda: ask(cu.cuMemFree(a + 8)),
             "advise too much": lambda: advise(a, 5 * MIB, "SET_READ_MOSTLY"),
             "advise for a device that is not": lambda: advise(
                 a, PAGE, "SET_PREFERRED_LOCATION", "device 7"),
             "prefetch to it": lambda: prefetch(a, PAGE, "device 7"),
             "attach with no flag": lambda: attach(s, a, 0, 0), "attach a part": lambda: attach(s, a, PAGE),
             "copy too much": lambda: ask(cu.cuMemcpyDtoD(a, a + MIB, 4 * MIB)),
             "unmap": lambda: ask(cu.cuMemUnmap(a, 2 * MIB)),
             "a handle for others": lambda: ask(cu.cuIpcGetMemHandle(a))}
    for label, slip in slips.items():
        yield label, [slip(), ask(cu.cuCtxSynchronize()), ask(kernels.run("fill", a + 1, i32(1), i32(1))),
                      ctypes.string_at(a, 3).hex(), facts(a, 4 * MIB)]


@question("memory is freed by its start alone: not a byte off, not by its end, not by a small number")
def wrong_ends():
    for size in (2 * MIB, 4 * MIB, 5 * MIB + 3):
        a = fresh(size)
        yield f"{size}", [ask(cu.cuMemFree(at)) for at in (a + 1, a - 1, a | 8, a + size - 1, a + size // 2, 1, 4096)]
        yield f"{size}: rightly", [driver_knows(a), ask(cu.cuMemFree(0)), ask(cu.cuMemFree(a)), driver_knows(a), ask(cu.cuMemFree(0))]


@question("every use of managed memory after its free is refused, one call at a time")
def after_free():
    d, s = make("device").address, stream()
    uses = {"attach": lambda a: attach(s, a, 0, 1), "attach by size": lambda a: attach(s, a, 4 * MIB, 4),
            "prefetch inside": lambda a: prefetch(a + MIB, PAGE),
            "advise inside": lambda a: advise(a + MIB, PAGE, "SET_ACCESSED_BY"),
            "range inside": lambda a: attribute(mm.PREFETCHED, a + MIB, PAGE),
            "sync": lambda a: raw("cuPointerSetAttribute", (ctypes.c_int * 1)(1), ATTRIBUTES["SYNC_MEMOPS"], a),
            "memset inside": lambda a: ask(cu.cuMemsetD32(a + MIB, 1, 1)),
            "copy inside": lambda a: ask(cu.cuMemcpyDtoD(d, a + MIB, 8)),
            "unregister": lambda a: ask(cu.cuMemHostUnregister(a)), "type": driver_knows,
            "free inside": lambda a: ask(cu.cuMemFree(a + MIB))}
    for label, use in uses.items():
        yield label, lambda: [use(free_one()), ask(cu.cuCtxSynchronize())]


@question("a batch with two mistakes is refused for one of them", alone=True)
def batch_twice_wrong():
    a, s = fresh(), stream()
    slips = {"flags": {"flags": 1}, "the NULL stream": {"stream": 0}, "no ranges": {"addresses": [], "sizes": []},
             "no bytes": {"sizes": [0]},
             "a device that is not": {"places": ["device 7"]}, "an index past the ranges": {"indices": [3]},
             "null": {"addresses": [0]}}
    for verb in (mm.PREFETCH, mm.BOTH):
        for first, second in (("no ranges", "the NULL stream"), ("no bytes", "a device that is not"),
                              ("null", "no bytes"),
                              ("an index past the ranges", "flags")):
            arguments = {"addresses": [a], "sizes": [2 * MIB], "places": ["device"],
                         "stream": s} | slips[first] | slips[second]
            yield f"{verb}: {first}, {second}", lambda: batch(verb, **arguments)


@question("two mistakes of place and stream in one prefetch or attachment", alone=True)
def place_and_stream():
    a = fresh()
    context = must(cu.cuCtxGetCurrent())
    new_context()
    other_stream = stream()
    must(cu.cuCtxSetCurrent(context))
    yield "a device that is not, another context's stream", lambda: prefetch(a, PAGE, "device 7", 0, other_stream)
    yield "a size too large, another context's stream", lambda: prefetch(a, 5 * MIB, "device", 0, other_stream)
    yield "flags, another context's stream", lambda: prefetch(a, PAGE, "host", 4, other_stream)
    yield "attached singly, another context's stream, inside", lambda: attach(other_stream, a + PAGE)
    yield "attached singly to NULL, a part", lambda: attach(0, a, PAGE)
    yield "attached singly to the thread's stream, too much", lambda: attach(PER_THREAD, a, 5 * MIB)
    yield "nothing remained of it", lambda: facts(a, PAGE)


@question("managed memory's flag for copies that wait is set and taken back, and freed memory has none")
def sync_memops():
    attribute_ = ATTRIBUTES["SYNC_MEMOPS"]

    def put(value, at):
        return raw("cuPointerSetAttribute", (ctypes.c_int * 1)(value), attribute_, at)
    a = fresh()
    for value, label in ((1, "set"), (0, "taken back"), (1, "set again")):
        yield label, [put(value, a + 100), int_attribute("SYNC_MEMOPS", a) & 0xFF]
    d = make("device").address
    yield "a copy that need not wait", [ask(cu.cuMemcpyDtoDAsync(d, a, 64, stream())),
                                        ask(cu.cuMemsetD8Async(a, 1, 64, stream())), ask(cu.cuCtxSynchronize()),
                                        read(a, 2).hex()]
    must(cu.cuMemFree(a))
    b = fresh()
    yield "freed, and the next block", [put(1, free_one()), int_attribute("SYNC_MEMOPS", b) & 0xFF]


@question("a size of nothing, and sizes that wrap, are told apart by each call")
def sizes():
    a = fresh()
    host_write(a, 7)
    for label, size in (("0", 0), ("all and a page", 4 * MIB + PAGE), ("2^32", 1 << 32), ("2^63", 1 << 63),
                        ("2^64 - 1", (1 << 64) - 1)):
        yield f"{label}: advise, prefetch, range", [advise(a + PAGE, size, "SET_ACCESSED_BY"),
                                                    prefetch(a + PAGE, size, "host"),
                                                    attribute(mm.ACCESSED_BY, a + PAGE, size)]
        yield f"{label}: attach", attach(stream(), a, size, 1)
    yield "what came of it", [ask(cu.cuCtxSynchronize()), facts(a, PAGE), facts(a + PAGE, PAGE), facts(a + 2 * PAGE, PAGE),
                              host_byte(a)]


@question("a launch without threads is refused, and a kernel fails at null and at half of a managed address")
def arguments():
    a = fresh()
    host_write(a, 7)
    yield "no bytes to fill", [ask(kernels.run("fill", a, i32(1), i32(0))), host_byte(a)]
    yield "a negative count", [ask(kernels.run("fill", a, i32(1), i32(-5))), host_byte(a)]
    yield "no threads", [ask(kernels.launch("fill", a, i32(1), i32(1), block=0)), host_byte(a)]
    yield "too many threads", [ask(kernels.launch("fill", a, i32(1), i32(1), block=1025)), host_byte(a)]
    yield "null", lambda: ask(kernels.run("fill", 0, i32(1), i32(1)))
    yield "the lower half of an address", lambda: ask(kernels.run("fill", fresh() & 0xFFFFFFFF, i32(1), i32(1)))


@question("the same mistake in each of the two attachments that an allocation may have", alone=True)
def by_attachment():
    for flags in (1, 2):
        a = fresh(flags=flags)
        yield f"flags {flags}: register, host pointer, host flags", [ask(cu.cuMemHostRegister(a, PAGE, 1)),
                                                                     ask(cu.cuMemHostGetDevicePointer(a, 0)),
                                                                     ask(cu.cuMemHostGetFlags(a))]
        yield f"flags {flags}: shared", [ask(cu.cuIpcGetMemHandle(a)),
                                         name(ctypes.CDLL("libcuda.so.1").cuMemRetainAllocationHandle(
            ctypes.byref(ctypes.c_uint64(0)), ctypes.c_void_p(a)))]
        yield f"flags {flags}: freed as others", [ask(cu.cuMemFreeHost(a)), ask(cu.cuMemFreeAsync(a, stream())),
                                                  ask(cu.cuMemAddressFree(a, 4 * MIB))]
        yield f"flags {flags}: and rightly", ask(cu.cuMemFree(a))
