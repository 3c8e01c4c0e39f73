"""Passes over data in pieces: windows of managed memory, the next piece brought ahead, old ones given up."""
import ctypes

import numpy as np
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels, managed_memory as mm, turns as rounds
from ...helpers.calls import ask, must, pattern, read
from ...helpers.kernels import i32
from ...helpers.managed_memory import (
    MIB,
    PAGE,
    advise,
    attribute,
    batch,
    by_page,
    facts,
    fresh,
    host_byte,
    host_write,
    prefetch,
    prefetch_and_wait,
    view,
)
from ...helpers.memory_kinds import make, pages
from ...helpers.numerical_kernels import launch, run
from ...helpers.rectangles import rectangle
from ...helpers.streams import stream

PIECE = 2 * MIB


@question("pieces are prefetched one ahead of the kernel that fills them, and each says where it was brought last")
def one_ahead():
    a, s, codes = fresh(8 * MIB), stream(), set()
    for piece in range(4):
        if piece < 3:
            codes.add(prefetch(a + (piece + 1) * PIECE, PIECE, "device", 0, s))
        codes.add(ask(kernels.launch("fill", a + piece * PIECE, i32(piece), i32(PAGE), block=256, stream=int(s))))
        if piece:
            codes.add(prefetch(a + (piece - 1) * PIECE, PIECE, "host", 0, s))
    yield "codes", [sorted(codes), ask(cu.cuStreamSynchronize(s))]
    yield "content", [ctypes.string_at(a + piece * PIECE, 3).hex() for piece in range(4)]
    yield "each", [attribute(mm.PREFETCHED, a + piece * PIECE, PIECE) for piece in range(4)]
    yield "pairs", [attribute(mm.PREFETCHED, a + piece * PIECE, 2 * PIECE) for piece in range(3)]
    yield "all", facts(a, 8 * MIB)


@question("a window of managed memory takes one piece of pageable data after the other, and device memory adds them up")
def window():
    data, w, d = np.arange(4 * 4096, dtype=np.float32), fresh(), int(must(cu.cuMemAlloc(16384)))
    must(cu.cuMemsetD8(d, 0, 16384))
    cells = view(w, np.float32, 4096)
    for piece in range(4):
        cells[:] = data[4096 * piece:4096 * (piece + 1)]
        code = rounds.run("saxpy", i32(4096), np.float32(1), w, d, grid=16, block=256)
        yield f"piece {piece}", [code, np.frombuffer(read(d, 16384), np.float32)[[0, 4095]].tolist()]


@question("pieces that were worked at are discarded, and the window is filled anew in the same stream")
def given_up():
    a, s = fresh(), stream()
    for round_ in range(3):
        codes = [batch(mm.DISCARD, [a], [PIECE], stream=s), prefetch(a, PIECE, "device", 0, s),
                 ask(cu.cuMemsetD8Async(a, round_ + 1, PIECE, s)),
                 ask(kernels.launch("fill", a, i32(16 * round_), i32(4), stream=int(s))),
                 ask(cu.cuStreamSynchronize(s))]
        yield f"round {round_}", [codes, ctypes.string_at(a, 6).hex(), host_byte(a + PIECE - 1)]
    yield "it says", [facts(a, PIECE), facts(a + PIECE, PIECE)]


@question("two windows change roles: one is filled by copies in a stream while a kernel of another reads the other")
def two_windows():
    windows, streams, out = [fresh(), fresh()], [stream(), stream()], fresh()
    source = int(must(cu.cuMemHostAlloc(8 * PAGE, 0)))
    for piece in range(4):
        ctypes.memset(source + piece * PAGE, 0x21 + piece, PAGE)
        w, s = windows[piece % 2], streams[piece % 2]
        codes = [ask(cu.cuMemcpyHtoDAsync(w, source + piece * PAGE, PAGE, s)),
                 ask(kernels.launch("copy", out + piece * PAGE, w, i32(PAGE), block=256, stream=int(s)))]
        yield f"piece {piece}", codes
    yield "waited", [ask(cu.cuStreamSynchronize(s)) for s in streams]
    yield "content", [ctypes.string_at(out + piece * PAGE + PAGE - 1, 2).hex() for piece in range(4)]


@question("a table that every piece is looked up in stays advised while the pieces come and go")
def table_stays():
    table, a = fresh(), fresh(8 * MIB)
    codes = [advise(table, 4 * MIB, "SET_READ_MOSTLY"), advise(table, 4 * MIB, "SET_PREFERRED_LOCATION", "device"),
             prefetch(table, 4 * MIB)]
    for piece in range(4):
        codes += [prefetch(a + piece * PIECE, PIECE), batch(mm.BOTH, [a], [PIECE], ["host"], stream=stream())]
    yield "codes", [sorted(set(codes)), ask(cu.cuCtxSynchronize())]
    yield "the table", facts(table, 4 * MIB)
    yield "pieces", [facts(a + piece * PIECE, PIECE) for piece in (0, 1)]
    yield "written on", [ask(kernels.run("fill", table, i32(3), i32(3))), ctypes.string_at(table, 4).hex(),
                         facts(table, PAGE)]


@question("the last piece of a block that is no whole number of pieces is brought, set and asked about by its own size")
def last_piece():
    for size in (5 * MIB + 1, 5 * MIB + PAGE, 6 * MIB - 1):
        a, size_of_last = fresh(size), size - 2 * PIECE
        yield f"{size}", [prefetch(a + 2 * PIECE, size_of_last, "host"), ask(cu.cuCtxSynchronize()),
                          attribute(mm.PREFETCHED, a + 2 * PIECE, size_of_last),
                          attribute(mm.PREFETCHED, a, size)]
        yield f"{size}: set", [ask(cu.cuMemsetD8(a + 2 * PIECE, 9, size_of_last)),
                               ask(cu.cuMemsetD8(a + 2 * PIECE, 8, size_of_last + 1)),
                               host_byte(a + size - 1)]
        yield f"{size}: a whole piece", [prefetch(a + 2 * PIECE, PIECE, "device"),
                                         attribute(mm.PREFETCHED, a + 2 * PIECE, PIECE)]


@question("pages that the host touches between passes leave what a prefetch said of them")
def touched_between():
    a = fresh()
    prefetch_and_wait(a, 4 * PAGE, "device")
    host_write(a + PAGE, 5, 1)
    yield "written by the host", by_page(a, 5, mm.PREFETCHED)
    must(kernels.run("poke", a + 4 * PAGE, i32(6)))
    yield "written by a kernel", by_page(a, 5, mm.PREFETCHED)
    prefetch_and_wait(a + 2 * PAGE, 3 * PAGE, "host")
    yield "a second pass from the middle", by_page(a, 6, mm.PREFETCHED)
    yield "content", [host_byte(a + page * PAGE) for page in range(5)]
    yield "types", [by_page(a, 6, mm.PREFETCHED_TYPE), by_page(a, 6, mm.PREFETCHED_ID)]


@question("a strided pass reads every page of a block by a copy of rows, wherever the pages are")
def strided():
    a, d = fresh(), make("device").address
    for page in range(16):
        host_write(a + page * PAGE + 100, page + 1, 4)
    prefetch_and_wait(a, 8 * PAGE, "device")
    yield "collected", [ask(cu.cuMemcpy2D(rectangle(a, d, 4, 16, PAGE, 4, x=(100, 0)))), ask(cu.cuCtxSynchronize()),
                        read(d, 64).hex()]
    yield "put back a page later", [ask(cu.cuMemcpy2D(rectangle(d, a, 4, 16, 4, PAGE, x=(0, 100), y=(0, 1)))),
                                    ask(cu.cuCtxSynchronize()),
                                    [host_byte(a + page * PAGE + 103) for page in (0, 1, 2, 16, 17)]]
    yield "two bytes of each set", [ask(cu.cuMemsetD2D16(a + 100, PAGE, 0xABCD, 1, 16)), ask(cu.cuCtxSynchronize()),
                                    ctypes.string_at(a + 15 * PAGE + 99, 5).hex()]
    yield "a pitch less than the width", ask(cu.cuMemcpy2D(rectangle(a, d, 8, 2, 4, 8)))


@question("a pass in the opposite direction sums up what the one before it left, with pageable data in between")
def back_again():
    a, host = fresh(), pages()
    ctypes.memmove(host, pattern(PAGE, 3), PAGE)
    cells = view(a, np.int32, 256)
    yield "in", [ask(cu.cuMemcpyHtoD(a, host, PAGE)), ask(cu.cuCtxSynchronize()),
                 ctypes.string_at(a, PAGE) == pattern(PAGE, 3)]
    cells[:] = 1
    codes = {launch("sum_halves", a, i32(1 << power), block=128) for power in range(7, -1, -1)}
    yield "summed", [sorted(codes), ask(cu.cuMemcpyDtoH(host, a, 1024)), int(view(host, np.int32, 256)[0])]
    yield "a step more", [run("sum_halves", a, i32(1), block=32), cells[:2].tolist()]
    yield "out past the page's end", [ask(cu.cuMemcpyDtoH(host + 100, a + 3, 1000)),
                                      view(host, np.uint8, 104)[100:].tolist()]
