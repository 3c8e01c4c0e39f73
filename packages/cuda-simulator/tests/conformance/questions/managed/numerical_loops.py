"""Numerical loops over managed memory: a kernel makes a step, and the host decides whether to go on."""
import numpy as np
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.calls import ask, must
from ...helpers.kernels import i32
from ...helpers.managed_memory import MIB, PAGE, advise, facts, fresh, prefetch, view
from ...helpers.memory_kinds import make
from ...helpers.numerical_kernels import launch, run
from ...helpers.streams import stream


@question("a field relaxes between two managed arrays that change roles, until the host finds nothing changed")
def relaxed():
    for kind in ("managed", "managed, attached to the host"):
        a, b, cell = make(kind).address, make(kind).address, make(kind).address
        old, new, changed = view(a, np.float32, 9), view(b, np.float32, 9), view(cell, np.int32, 1)
        old[:] = (64, 0, 0, 0, 0, 0, 0, 0, 16)
        steps, codes = 0, set()
        while steps < 100:
            changed[0] = 0
            codes.add(run("relax", a, b, i32(9), cell, block=32))
            a, b, old, new, steps = b, a, new, old, steps + 1
            if not changed[0]:
                break
        yield kind, [sorted(codes), steps, old.tolist(), int(changed[0])]
    yield "one more step", [run("relax", a, b, i32(9), cell, block=32), new.tolist(), int(changed[0])]


@question("a sum is halved again and again by kernels of one stream, in managed memory of any alignment")
def halved():
    for offset in (0, 4, PAGE - 64, 2 * MIB - 512):
        cells = view((a := fresh()) + offset, np.int32, 256)
        cells[:] = np.arange(256)
        codes = {launch("sum_halves", a + offset, i32(1 << power), block=128) for power in range(7, -1, -1)}
        yield f"at {offset}", [sorted(codes), ask(cu.cuStreamSynchronize(0)), cells[:4].tolist(), int(cells[255])]


@question("a matrix in managed memory is multiplied by one in device memory, in pinned memory, and by itself")
def multiplied():
    a, c, n = fresh(), fresh(), 5
    matrix, result = view(a, np.float64, n * n), view(c, np.float64, n * n)
    matrix[:] = np.arange(n * n) - 7
    for kind in ("device", "pinned", "registered", "managed, attached to the host"):
        b = make(kind).address
        code = ask(cu.cuMemcpy(b, a, 8 * n * n))
        must(cu.cuCtxSynchronize())
        yield kind, [code, run("multiply", a, b, c, i32(n), block=(n, n, 1)), result[[0, 1, n, n * n - 1]].tolist()]
    yield "itself", [run("multiply", a, a, c, i32(n), block=(n, n, 1)), float(result.sum()), float(result[7])]
    yield "as NumPy has it", (matrix.reshape(n, n) @ matrix.reshape(n, n) == result.reshape(n, n)).all().item()


@question("square roots are found by steps of kernels between which the host waits, or does not")
def roots():
    squares = np.array([4, 9, 2.25, 1 << 40])
    for label, waits in (("each step", True), ("at the end", False)):
        a, b = fresh(), fresh(flags=2)
        x, of = view(a, np.float64, 4), view(b, np.float64, 4)
        x[:], of[:] = squares, squares
        codes = {(run if waits else launch)("newton", a, b, block=4) for _ in range(40)}
        yield f"waited for: {label}", [sorted(codes), ask(cu.cuCtxSynchronize()), x.tolist(), of.tolist()]


@question("random numbers go on in managed memory whichever stream makes the next, and the host makes some itself")
def random_numbers():
    a = fresh()
    state = view(a, np.uint32, 3)
    state[:] = (1, 2, 0xFFFFFFFF)
    yield "the NULL stream", [run("next_random", a, block=3), state.tolist()]
    s = stream()
    yield "another", [launch("next_random", a, block=3, stream=int(s)), ask(cu.cuStreamSynchronize(s)), state.tolist()]
    state[:] = state * np.uint32(1664525) + np.uint32(1013904223)
    yield "the host", state.tolist()
    yield "two at the end of a page", [run("next_random", a + 4, block=2), state.tolist()]


@question("a glider crosses the edges of a managed field and is back after as many steps as the field wants")
def glider():
    a, b = fresh(), fresh()
    field, next_field = view(a, np.uint8, 64), view(b, np.uint8, 64)
    for at in (1, 10, 16, 17, 18):
        field[at] = 1
    first_field = field.copy()
    for steps in (1, 3, 28):
        for _ in range(steps):
            code = run("life", a, b, i32(8), i32(8), block=(8, 8, 1))
            a, b, field, next_field = b, a, next_field, field
        yield f"{steps} more", [code, np.flatnonzero(field).tolist(), int(next_field.sum())]
    yield "as at first", bool((field == first_field).all())


@question("words are counted by bits into a managed total of eight bytes, while advice for the words changes")
def bits():
    words = view(a := fresh(), np.uint32, 5000)
    words[:] = np.arange(5000, dtype=np.uint32) * np.uint32(2654435761)
    total, longest = view(c := fresh(), np.uint64, 1), view(c + 8, np.uint32, 1)
    for advice, place in (("SET_READ_MOSTLY", "device"), ("SET_PREFERRED_LOCATION", "host"),
                          ("SET_ACCESSED_BY", "device"),
                          ("UNSET_READ_MOSTLY", "host")):
        total[0] = longest[0] = 0
        yield f"{advice}, {place}", [advise(a, 20000, advice, place),
                                     run("bits_of", a, i32(5000), c, c + 8, grid=20, block=256),
                                     int(total[0]), int(longest[0])]
    yield "what it says", facts(a, 20000)


@question("numbers are sorted in managed memory by kernels that swap neighbours")
def swapped():
    for count in (2, 8, 64):
        cells = view(a := fresh(), np.int16, count + 1)
        cells[:] = (np.arange(count + 1) * 37) % 101 - 50
        count_left, expected = int(cells[count]), sorted(cells[:count].tolist())
        codes = set()
        for step in range(count):
            odd = step % 2
            if count // 2 - odd:
                codes.add(launch("swap_pairs", a, i32(odd), block=count // 2 - odd))
        yield f"{count}", [sorted(codes), ask(cu.cuCtxSynchronize()), cells[:4].tolist(),
                           cells[:count].tolist() == expected,
                           int(cells[count]) == count_left]


@question("running sums are made between managed and device memory in turn, with prefetches between the steps")
def running_sums():
    a, d = fresh(), make("device").address
    cells = view(a, np.int32, 16)
    for label, places in (("none", ()), ("to the device", ("device",)), ("there and back", ("device", "host"))):
        cells[:] = np.arange(1, 17)
        source, to, codes = a, d, set()
        for step in (1, 2, 4, 8):
            codes.add(launch("running", source, to, i32(16), i32(step), block=16))
            codes.update(prefetch(a, PAGE, place) for place in places)
            source, to = to, source
        yield f"prefetches: {label}", [sorted(codes), ask(cu.cuCtxSynchronize()), cells.tolist()[-3:]]
    yield "the last prefetch", facts(a, 4 * MIB)
