"""Managed memory in the order of streams: a block for each stream, pipelines over events, ways to wait,
values that streams write, memory attached to streams that come and go.
"""
import ctypes
import time

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, read
from ...helpers.kernels import i32
from ...helpers.managed_calls import attach
from ...helpers.managed_memory import PAGE, advise, facts, fresh, host_byte, host_write, prefetch, prefetch_and_wait
from ...helpers.memory_kinds import make
from ...helpers.streams import PER_THREAD, Gate, stream
from ...helpers.turns import launch, run

GEQ, EQ, AND, NOR = range(4)    # of CUstreamWaitValue_flags


@question("eight streams have a block each, attached to it, and the host reads each after a wait for its stream")
def a_block_for_each():
    streams = [stream(at % 2) for at in range(8)]
    blocks = [fresh(flags=2) for _ in streams]
    yield "attached", sorted({attach(s, a) for s, a in zip(streams, blocks)})
    yield "launched", sorted({ask(kernels.launch("fill", a, i32(16 * at), i32(4), stream=int(s)))
                              for at, (s, a) in enumerate(zip(streams, blocks))})
    for at in (3, 0, 7):
        yield f"stream {at}", [ask(cu.cuStreamSynchronize(streams[at])), ctypes.string_at(blocks[at], 5).hex()]
    yield "all", [ask(cu.cuCtxSynchronize()), [host_byte(a + 3) for a in blocks]]
    yield "streams destroyed, blocks freed", sorted({ask(cu.cuStreamDestroy(s))
                                                     for s in streams} | {ask(cu.cuMemFree(a)) for a in blocks})


@question("a block passes through three streams by events, and each finds what the one before it left")
def pipeline():
    for place in ("device", "host"):
        a, streams, events = fresh(), [stream() for _ in range(3)], [must(cu.cuEventCreate(2)) for _ in range(3)]
        prefetch_and_wait(a, PAGE, place)
        codes = [ask(cu.cuMemsetD8Async(a, 1, 8, streams[0])), ask(cu.cuEventRecord(events[0], streams[0])),
                 ask(cu.cuStreamWaitEvent(streams[1], events[0], 0)),
                 ask(kernels.launch("fill", a + 2, i32(0x20), i32(3), stream=int(streams[1]))),
                 ask(cu.cuEventRecord(events[1], streams[1])),
                 ask(cu.cuStreamWaitEvent(streams[2], events[1], 0)),
                 ask(cu.cuMemcpyDtoDAsync(a + 8, a, 8, streams[2])),
                 ask(cu.cuEventRecord(events[2], streams[2]))]
        yield f"{place}: codes", sorted(set(codes))
        yield f"{place}: content", [ask(cu.cuEventSynchronize(events[2])), ctypes.string_at(a, 17).hex()]
        yield f"{place}: all done", [ask(cu.cuEventQuery(event)) for event in events] + [ask(cu.cuStreamQuery(stream_))
                                                                                         for stream_ in streams]


@question("however the host waits for a stream, it then reads what the stream wrote")
def ways_to_wait():
    def poll(s, event):
        end = time.monotonic() + 5
        while ask(cu.cuStreamQuery(s)) == "NOT_READY" and time.monotonic() < end:
            pass
        return ask(cu.cuStreamQuery(s))

    def poll_event(s, event):
        end = time.monotonic() + 5
        while ask(cu.cuEventQuery(event)) == "NOT_READY" and time.monotonic() < end:
            pass
        return ask(cu.cuEventQuery(event))
    for label, wait in {"stream": lambda s, event: ask(cu.cuStreamSynchronize(s)), "context": lambda s,
                        event: ask(cu.cuCtxSynchronize()),
                        "event": lambda s, event: ask(cu.cuEventSynchronize(event)), "stream asked": poll,
                        "event asked": poll_event,
                        "a copy in the NULL stream": lambda s,
                        event: ask(cu.cuMemcpyDtoH(bytearray(4), blocking, 4))}.items():
        s, a, event = stream(0), fresh(), must(cu.cuEventCreate(2))
        blocking = fresh()
        codes = [ask(kernels.launch("fill", a, i32(1), i32(4), stream=int(s))), ask(cu.cuMemsetD8Async(a + 4, 9, 2, s)),
                 ask(cu.cuEventRecord(event, s))]
        yield label, [*codes, wait(s, event), ctypes.string_at(a, 7).hex()]


@question("a stream neither writes a number of eight bytes to managed memory nor waits for one there", alone=True)
def wide_values():
    s, a = stream(), fresh()
    cells = (ctypes.c_uint64 * 2).from_address(a)
    cells[:] = (1 << 40) + 5, 0
    yield "written", [ask(cu.cuStreamWriteValue64(s, a + 8, 5, 0)), ask(cu.cuStreamSynchronize(s)), int(cells[1])]
    for label, value, how in (("at least", 1 << 39, GEQ), ("equal", (1 << 40) + 5, EQ), ("a bit of it", 4, AND),
                              ("not all bits", 1, NOR)):
        yield f"waits for {label}", [ask(cu.cuStreamWaitValue64(s, a, value, how)), ask(cu.cuStreamSynchronize(s))]


@question("stream-ordered memory is filled from managed memory, copied back and freed in one stream")
def with_stream_ordered():
    s, a = stream(), fresh()
    host_write(a, 7, 16)
    for round_ in range(3):
        result = cu.cuMemAllocAsync(5000, s)
        d = int(result[1])
        codes = [ask(result), ask(cu.cuMemcpyDtoDAsync(d, a, 16, s)),
                 ask(kernels.launch("fill", d + 2, i32(0x40 + round_), i32(3), stream=int(s))),
                 ask(cu.cuMemcpyDtoDAsync(a + 1, d, 16, s)), ask(cu.cuMemFreeAsync(d, s))]
        yield f"round {round_}", [codes, ask(cu.cuStreamSynchronize(s)), ctypes.string_at(a, 18).hex()]


@question("a stream that is destroyed right after a prefetch and a kernel still does both")
def destroyed_with_work():
    for place in ("device", "host"):
        s, a = stream(), fresh()
        host_write(a, 7)
        codes = [prefetch(a, PAGE, place, 0, s), ask(kernels.launch("fill", a + 1, i32(1), i32(2), stream=int(s))),
                 ask(cu.cuStreamDestroy(s))]
        yield place, [*codes, ask(cu.cuCtxSynchronize()), facts(a, PAGE), ctypes.string_at(a, 4).hex()]


@question("memory whose stream was destroyed is attached to the next one, and what it says is as before")
def next_stream():
    for flags in (1, 2):
        a = fresh(flags=flags)
        advise(a, PAGE, "SET_READ_MOSTLY")
        for value in range(3):
            s = stream(value % 2)
            yield f"allocated with {flags}: stream {value}", [
                attach(s, a), ask(kernels.launch("fill", a, i32(0x30 + value), i32(2), stream=int(s))),
                                                              ask(cu.cuStreamSynchronize(s)),
                host_byte(a), ask(cu.cuStreamDestroy(s)), facts(a, PAGE)]
        yield f"allocated with {flags}: to all, and freed", [attach(0, a, 0, 1), ask(cu.cuCtxSynchronize()),
                                                             ask(cu.cuMemFree(a))]


@question("streams with a priority and the one of each thread take all that managed memory asks of a stream")
def other_streams():
    low, high = must(cu.cuCtxGetStreamPriorityRange())
    for label, s in (("lowest priority", must(cu.cuStreamCreateWithPriority(1, low))),
                     ("highest priority", must(cu.cuStreamCreateWithPriority(0, high))), ("per thread", PER_THREAD)):
        a = fresh()
        yield label, [attach(s, a), prefetch(a, PAGE, "device", 0, s), ask(cu.cuMemsetD16Async(a, 0x0201, 2, s)),
                      ask(kernels.launch("fill", a + 4, i32(3), i32(2), stream=int(s))), ask(cu.cuStreamSynchronize(s)),
                      ctypes.string_at(a, 7).hex(), facts(a, PAGE)]


@question("the host reads one half of a block while a stream that waits is to write the other", alone=True)
def halves():
    for flags in (1, 2):
        s, a = stream(), fresh(flags=flags)
        table = int_table(a + 1)
        code = run("scatter", table, i32(1), i32(7))    # loaded before the stream waits
        host_write(a, 7, 2 * PAGE)
        gate = Gate(s)
        codes = [ask(cu.cuMemsetD8Async(a, 1, PAGE, s)), launch("scatter", table, i32(1), i32(0x55), stream=int(s))]
        answers = [ctypes.string_at(a + PAGE, 2).hex(), host_write(a + PAGE, 8, 1), ctypes.string_at(a, 2).hex(),
                   ask(cu.cuStreamQuery(s))]
        gate.open()
        yield f"allocated with {flags}", [code, codes, answers, ask(cu.cuStreamSynchronize(s)),
                                          ctypes.string_at(a, 3).hex(), read(a + PAGE, 2).hex()]


def int_table(address):
    """Pinned memory that holds an address."""
    t = make("pinned").address
    ctypes.c_uint64.from_address(t).value = address
    return t
