"""Setting memory: widths, alignment, kinds of memory, two dimensions."""
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.calls import ask, must, read, short, write
from ...helpers.memory_kinds import KINDS, LARGE, create, make, reserve, set_access

LINES = {
    "D8": lambda a, n: cu.cuMemsetD8(a, 0x11, n),
    "D16": lambda a, n: cu.cuMemsetD16(a, 0x2211, n),
    "D32": lambda a, n: cu.cuMemsetD32(a, 0x44332211, n),
    "D8Async": lambda a, n: cu.cuMemsetD8Async(a, 0x11, n, 0),
    "D16Async": lambda a, n: cu.cuMemsetD16Async(a, 0x2211, n, 0),
    "D32Async": lambda a, n: cu.cuMemsetD32Async(a, 0x44332211, n, 0),
}
RECTANGLES = {
    "D2D8": lambda a, pitch, w, h: cu.cuMemsetD2D8(a, pitch, 0x11, w, h),
    "D2D16": lambda a, pitch, w, h: cu.cuMemsetD2D16(a, pitch, 0x2211, w, h),
    "D2D32": lambda a, pitch, w, h: cu.cuMemsetD2D32(a, pitch, 0x44332211, w, h),
    "D2D8Async": lambda a, pitch, w, h: cu.cuMemsetD2D8Async(a, pitch, 0x11, w, h, 0),
    "D2D16Async": lambda a, pitch, w, h: cu.cuMemsetD2D16Async(a, pitch, 0x2211, w, h, 0),
    "D2D32Async": lambda a, pitch, w, h: cu.cuMemsetD2D32Async(a, pitch, 0x44332211, w, h, 0),
}


def _code_after_wait(result):
    code, waited = ask(result), ask(cu.cuCtxSynchronize())
    return code if waited in ("SUCCESS", code) else f"{code}, then {waited}"


@question("a memset counts elements of its width")
def content():
    for width, put in LINES.items():
        a = int(must(cu.cuMemAlloc(64)))
        write(a, b"\xee" * 64)
        yield width, [_code_after_wait(put(a + 4, 5)), read(a, 64).hex()]


@question("a memset needs an address aligned to its width")
def alignment():
    for width, put in LINES.items():
        a = int(must(cu.cuMemAlloc(64)))
        for offset in (1, 2, 3, 4):
            yield f"{width}: offset {offset}", _code_after_wait(put(a + offset, 4))


@question("memory of which kinds can be set")
def by_kind():
    for kind in KINDS:
        for width, put in LINES.items():
            yield f"{kind}: {width}", lambda: _set(kind, put)


def _set(kind, put):
    return _code_after_wait(put(make(kind).address & ~3, 8))


@question("a memset of nothing")
def nothing():
    for kind in KINDS:
        for width in ("D8", "D32", "D8Async"):
            yield f"{kind}: {width}", lambda: _set_nothing(kind, LINES[width])


def _set_nothing(kind, put):
    return _code_after_wait(put(make(kind).address, 0))


@question("a memset past the end of an allocation by one byte is refused; the kernel heap is one range",
          stricter={f"kernel heap: {n} over": "the simulated driver knows each allocation of the kernel heap" for n in (1, 4096, 4 << 20)})
def past_the_end():
    for kind in ("device", "device, 3 MiB", "pinned", "registered", "managed", "mapped", "stream-ordered", "module variable",
                 "kernel heap", "mapped, on the host"):
        for over in (1, 4096, 4 << 20, 1 << 32, 1 << 40):
            yield f"{kind}: {over} over", lambda: _set_over(kind, over)


def _set_over(kind, over):
    block = make(kind)
    answer = _code_after_wait(cu.cuMemsetD8(block.address, 0, block.size + over))
    if block.release:
        block.release()
    return answer


@question("a memset far from every allocation")
def far_off():
    a = int(must(cu.cuMemAlloc(64)))
    for label, address in (("64 GiB past", a + (64 << 30)), ("1 TiB past", a + (1 << 40)), ("null", 0), ("the number 4", 4)):
        yield label, lambda: _code_after_wait(cu.cuMemsetD8(address, 0, 16))


@question("a two-dimensional memset sets width elements in each of height rows, a pitch apart")
def rectangles():
    for width, put in RECTANGLES.items():
        a = int(must(cu.cuMemAlloc(256)))
        write(a, b"\xee" * 256)
        yield width, [_code_after_wait(put(a + 4, 64, 3, 3)), short(read(a, 256))]


@question("a two-dimensional memset needs a pitch that holds its row and keeps its alignment, except for one row")
def rectangle_errors():
    for width, put in RECTANGLES.items():
        a = int(must(cu.cuMemAlloc(65536)))
        for label, arguments in {"pitch 0": (a, 0, 4, 2), "pitch 0, one row": (a, 0, 4, 1), "pitch too small": (a, 8, 16, 2),
                                 "pitch too small, one row": (a, 8, 16, 1), "odd pitch": (a, 65, 4, 2),
                                 "odd pitch, one row": (a, 65, 4, 1), "pitch of 6": (a, 66, 4, 2), "odd address": (a + 1, 64, 4, 2),
                                 "address + 2": (a + 2, 64, 4, 2), "no width": (a, 64, 0, 2), "no height": (a, 64, 4, 0),
                                 "no pitch, no width": (a, 0, 0, 4), "null": (0, 64, 4, 2), "null, no height": (0, 64, 4, 0),
                                 "exact pitch": (a, 16, 4, 4), "huge pitch, one row": (a, 1 << 31, 4, 1),
                                 "huge pitch": (a, 1 << 31, 4, 2), "far past the end": (a, 1 << 20, 4, 1 << 20)}.items():
            yield f"{width}: {label}", lambda: _code_after_wait(put(*arguments))


@question("a two-dimensional memset over two mappings side by side, one of its rows across their border")
def rectangle_over_two_mappings():
    base, height = reserve(2 * LARGE), 3
    for at in (0, LARGE):
        must(cu.cuMemMap(base + at, LARGE, 0, create(), 0))
    must(set_access(base, 2 * LARGE))
    start, pitch = base + LARGE - 72, 64        # the second row begins 8 bytes before the border
    for width, put in RECTANGLES.items():
        must(cu.cuMemsetD8(start, 0xee, height * pitch))
        yield width, [_code_after_wait(put(start, pitch, 12, height)), read(start, height * pitch).hex()]


@question("a pitch, a width and a height of every relation")
def rectangle_table():
    a = int(must(cu.cuMemAlloc(1 << 20)))
    for pitch in (0, 1, 2, 3, 4, 5, 8, 12):
        for columns in (0, 1, 2, 3, 4, 8):
            for rows in (0, 1, 2):
                yield f"D2D8: pitch {pitch}, {columns} x {rows}", _code_after_wait(cu.cuMemsetD2D8(a, pitch, 1, columns, rows))
                yield f"D2D32: pitch {pitch}, {columns} x {rows}", _code_after_wait(cu.cuMemsetD2D32(a, pitch, 1, columns, rows))


@question("a kind's memory: fills of every width, in the middle and over its end")
def by_width():
    for kind in ("device", "pinned", "registered, unaligned", "managed", "mapped", "stream-ordered", "module variable", "mapped, on the host"):
        block = make(kind)
        start = -(-(block.address + 8) // 4) * 4
        room = block.address + block.size - start
        for width, call in ((1, cu.cuMemsetD8), (2, cu.cuMemsetD16), (4, cu.cuMemsetD32)):
            yield f"{kind}: {width}, all of the rest", ask(call(start, 1, room // width))
            yield f"{kind}: {width}, one more", ask(call(start, 1, room // width + 1))
        for width, call in ((1, cu.cuMemsetD2D8), (2, cu.cuMemsetD2D16), (4, cu.cuMemsetD2D32)):
            yield f"{kind}: {width}, 3 of 5 in rows", ask(call(start, 5 * width, 1, 3, 4))
            yield f"{kind}: {width}, an odd pitch", ask(call(start, 5 * width + 1, 1, 3, 4))
        yield f"{kind}: wait", ask(cu.cuCtxSynchronize())
