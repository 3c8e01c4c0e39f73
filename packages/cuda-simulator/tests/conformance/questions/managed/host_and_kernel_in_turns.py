"""Kernels and host take turns at managed memory: sums, counters, structures, what one builds and the other walks."""
import ctypes

import numpy as np
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, outcome, where
from ...helpers.kernels import i32
from ...helpers.managed_memory import MIB, PAGE, fresh, host_byte, prefetch_and_wait, view
from ...helpers.memory_kinds import make
from ...helpers.streams import stream
from ...helpers.turns import launch, run


class Record(ctypes.Structure):
    pass


Record._fields_ = [("letter", ctypes.c_char), ("pair", ctypes.c_short * 3), ("count", ctypes.c_int),
                   ("weight", ctypes.c_double),
                   ("next", ctypes.POINTER(Record))]
SLICE = np.dtype([("from", np.uint64), ("n", np.int32), ("factor", np.float32)])


@question("a kernel adds a multiple of one managed array to another, and the host reads the sums")
def saxpy():
    x, y = view(a := fresh(), np.float32, 1000), view(b := fresh(), np.float32, 1000)
    x[:], y[:] = np.arange(1000), 1
    yield "all", [run("saxpy", i32(1000), np.float32(2), a, b, grid=4, block=256), float(y.sum()), float(y[999])]
    x[10:20] = 0
    yield "the host changed ten", [run("saxpy", i32(1000), np.float32(1), a, b, grid=4, block=256), y[8:22].tolist()]
    yield "a part from the middle", [run("saxpy", i32(5), np.float32(-1), a + 400, b + 2000, block=32),
                                     y[499:506].tolist()]
    yield "onto itself", [run("saxpy", i32(3), np.float32(1), a, a, block=32), x[:5].tolist()]


@question("kernels of one stream see each other's writes to managed memory without a wait between")
def in_a_row():
    for kind, s in (("non-blocking", stream(1)), ("blocking", stream(0)), ("NULL", 0)):
        a = fresh()
        y = view(a, np.float32, 8)
        y[:] = 1
        codes = {launch("saxpy", i32(8), np.float32(1), a, a, block=32, stream=int(s)) for _ in range(10)}
        yield kind, [sorted(codes), ask(cu.cuStreamSynchronize(s)), y.tolist()]


@question("the host counts on where a kernel stopped, and the kernel where the host did")
def counted_on():
    for flags in (1, 2):
        bins = view(a := fresh(flags=flags), np.int32, 26)
        text = view(b := fresh(flags=flags), np.uint8, 520)
        text[:] = np.arange(520) % 26
        for round_ in range(3):
            code = run("count_letters", b, i32(520), a, grid=3, block=256)
            bins[3] += 1000
            yield f"allocated with {flags}: round {round_}", [code, bins[:5].tolist(), int(bins.sum())]
            text[:] = 0


@question("each block of a kernel has a cell of its own in managed memory")
def cells_of_blocks():
    for blocks, threads in ((1, 1), (7, 32), (64, 33)):
        cells = view(a := fresh(), np.int32, blocks + 1)
        cells[:] = 5
        yield f"{blocks} of {threads}", [run("each_block", a, grid=blocks, block=threads), cells[:3].tolist(),
                                         int(cells.sum())]


@question("a structure with fields of several widths is laid out alike for host and kernel")
def structures():
    for offset in (0, 8, PAGE - 8, 2 * MIB - 24):
        record = Record.from_address(fresh() + offset)
        record.letter, record.count, record.weight = b"a", 21, 10.0
        record.pair[:] = (50, 8, 0)
        code = run("change", ctypes.addressof(record))
        yield f"at {offset}", [code, record.letter.decode(), list(record.pair), record.count, record.weight]


@question("a kernel chains records in managed memory, and the host walks them")
def chained():
    for count in (1, 2, 32):
        records = (Record * count).from_address(fresh())
        code, counts, record = run("chain", ctypes.addressof(records), i32(count), block=32), [], records[0]
        while record:
            counts.append(record.count)
            record = record.next.contents if record.next else None
        yield f"{count}", [code, counts]


@question("a kernel takes a managed address inside a structure that is passed by value")
def by_value():
    a = fresh()
    y = view(a, np.float32, 6)
    for label, at, count, factor in (("all", a, 6, 2), ("the last two", a + 16, 2, -1), ("none", 0, 0, 3)):
        y[:] = np.arange(6)
        yield label, [run("scale", np.array((at, count, factor), SLICE), block=4), y.tolist()]


@question("atomic operations of the whole system leave in managed memory what they do in any order")
def atomics():
    for place in ("device", "host"):
        cells = view(a := fresh(), np.uint32, 6)
        cells[:] = (5, 1000, 0, 0xFFFF, 1, 0)
        prefetch_and_wait(a, PAGE, place)
        yield f"on the {place}", [run("bits", a, grid=2, block=64), cells.tolist()]
        cells[:3] = (1 << 31, 0, 1 << 9)
        yield f"on the {place}, again", [run("bits", a, block=5), cells.tolist()]


@question("numbers of two and eight bytes are the same to host and kernel, and a wrong alignment ends the kernel")
def widths():
    a = fresh()
    long_, short, double = view(a, np.uint64, 2), view(a + 64, np.uint16, 2), view(a + 128, np.float64, 2)
    long_[0], short[0], double[0] = 1 << 61, 65535, -0.75
    yield "aligned", [run("wide", a, a + 64, a + 128), int(long_[1]), int(short[1]), double.tolist()]
    yield "over the border of a page", [run("wide", a + PAGE - 8, a + 2 * PAGE - 2, a + 3 * PAGE - 8),
                                        host_byte(a + 2 * PAGE)]
    for label, at in (("long", (1, 64, 128)), ("short", (0, 65, 128)), ("double", (0, 64, 132))):
        yield f"{label} not aligned", lambda: run("wide", *(fresh() + offset for offset in at))


@question("a kernel sees its managed memory under the number that the host has")
def one_number():
    for flags, size in ((1, 100), (1, 4 * MIB), (2, 100), (2, 4 * MIB)):
        a = fresh(size, flags)
        code = run("own_address", a)
        yield f"{size} bytes, flags {flags}", [code, *(where(address, a=a) for address in view(a, np.uint64, 2).tolist())]


@question("a kernel turns managed bytes round by way of shared memory")
def by_way_of_shared():
    a, b = fresh(), fresh()
    for count in (1, 5, 300):
        view(a, np.uint8, count)[:] = np.arange(count) % 250
        code = run("reversed", a, b + 1, i32(count), block=count, shared=count)
        yield f"{count}", [code, view(b, np.uint8, count + 2)[[0, 1, count]].tolist()]
    yield "text", [ctypes.memmove(a, b"managed Memory 42", 17) == a, run("upper", a, block=17),
                   ctypes.string_at(a, 17).decode()]


@question("pointers to memory of seven kinds lie in a managed table, and one kernel reads or writes through all")
def table():
    kinds = ("device", "pinned", "registered", "managed", "managed, attached to the host", "mapped", "stream-ordered")
    blocks = [make(kind).address for kind in kinds]
    pointers, out = view(t := fresh(), np.uint64, 7), fresh()
    pointers[:] = blocks
    for value, block in enumerate(blocks):
        must(cu.cuMemsetD8(block, 0x30 + value, 1))
    must(cu.cuCtxSynchronize())
    yield "read", [run("gather", t, i32(7), out), ctypes.string_at(out, 8).hex()]
    yield "written", [run("scatter", t, i32(7), i32(0x50)), run("gather", t, i32(7), out),
                      ctypes.string_at(out, 8).hex()]
    pointers[:] = blocks[::-1]
    yield "the table turned round by the host", [run("gather", t, i32(7), out), ctypes.string_at(out, 8).hex()]
    yield "what the host may read itself", [host_byte(blocks[kinds.index(kind)]) for kind in (
        "pinned", "registered", "managed", "managed, attached to the host")]


@question("an address that a kernel allocates and leaves in managed memory is used and freed by later kernels")
def from_the_heap():
    t = fresh()
    yield "taken", [ask(kernels.run("heap_take", 256, t, block=4)), len(set(view(t, np.uint64, 4).tolist())),
                    0 in view(t, np.uint64, 4)]
    yield "written through", [run("into", t + 8, i32(9)), run("gather", t + 8, i32(1), t + 64), host_byte(t + 64)]
    yield "the driver knows it", outcome(cu.cuMemGetAddressRange(int(view(t, np.uint64, 4)[0]))[::2])
    yield "freed", ask(kernels.run("heap_give", t, i32(4)))
