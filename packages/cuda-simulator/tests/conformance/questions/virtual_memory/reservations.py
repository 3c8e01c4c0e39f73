"""Address ranges of virtual memory management: reserve and free."""
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.calls import ask, must, where
from ...helpers.memory_kinds import LARGE, create, make, pages, reserve


@question("a reservation is a multiple of 2 MiB")
def reserve_sizes():
    for size in (0, 1, 1024, 2048, 4096, 65536, 1 << 20, (2 << 20) - 1, 2 << 20, (2 << 20) + 1, (2 << 20) + 4096, 3 << 20, 4 << 20,
                 6 << 20, 1 << 30, 1 << 40, 1 << 46, 1 << 47, 1 << 48, 1 << 56, 1 << 63):
        yield f"{size}", ask(cu.cuMemAddressReserve(size, 0, 0, 0))


@question("a reservation's alignment is zero or a power of two")
def reserve_alignments():
    for alignment in (0, 1, 2, 3, 512, 4096, 65536, 100000, 2 << 20, 3 << 20, 4 << 20, 1 << 30, 1 << 40, 1 << 46, 1 << 47, 1 << 60):
        result = cu.cuMemAddressReserve(LARGE, alignment, 0, 0)
        yield f"{alignment}", [ask(result), int(result[1]) % max(alignment, LARGE) == 0] if not int(result[0]) else ask(result)


@question("a reservation's flags must be zero")
def reserve_flags():
    for flags in (0, 1, 2, 4, 1 << 63):
        yield f"{flags}", ask(cu.cuMemAddressReserve(LARGE, 0, 0, flags))


@question("a free aligned hint is given, an occupied one is not, an unaligned one is refused")
def reserve_hints():
    base = reserve(8 * LARGE)
    must(cu.cuMemAddressFree(base, 8 * LARGE))
    def hinted(hint, size=LARGE, alignment=0):
        result = cu.cuMemAddressReserve(size, alignment, hint, 0)
        return where(result[1], hint=hint) if not int(result[0]) else ask(result)
    alike = lambda relation: relation if relation in ("hint",) or not relation.startswith(("hint", "else")) else "another"
    yield "free", alike(hinted(base))
    yield "occupied", alike(hinted(base))
    yield "inside an occupied one", alike(hinted(base, 2 * LARGE))
    yield "before it, overlapping", alike(hinted(base - LARGE, 4 * LARGE))
    for offset in (1, 512, 4096, 65536, 1 << 20):
        yield f"{offset} off", alike(hinted(base + 4 * LARGE + offset))
    yield "aligned, stricter alignment asked", alike(hinted(base + LARGE, LARGE, 1 << 40))
    host = pages(4 * LARGE)
    yield "where the host has memory", alike(hinted(-(-host // LARGE) * LARGE))
    device = must(cu.cuMemAlloc(LARGE))
    yield "where device memory is", alike(hinted(int(device)))
    yield "beyond 2^47", alike(hinted(1 << 47))
    yield "beyond 2^49", alike(hinted(1 << 49))
    yield "at 1 TiB", alike(hinted(1 << 40))
    yield "at 2 MiB", alike(hinted(LARGE))


@question("a reservation is freed whole, once, and when nothing is mapped in it")
def free_ranges():
    def mapped_in(base):
        must(cu.cuMemMap(base, LARGE, 0, create(), 0))
        return base
    yield "half", ask(cu.cuMemAddressFree(reserve(2 * LARGE), LARGE))
    yield "the second half", ask(cu.cuMemAddressFree(reserve(2 * LARGE) + LARGE, LARGE))
    yield "too much", ask(cu.cuMemAddressFree(reserve(), 2 * LARGE))
    yield "size 0", ask(cu.cuMemAddressFree(reserve(), 0))
    yield "4096", ask(cu.cuMemAddressFree(reserve(), 4096))
    yield "interior", ask(cu.cuMemAddressFree(reserve() + 4096, LARGE))
    yield "null", ask(cu.cuMemAddressFree(0, LARGE))
    yield "never reserved", ask(cu.cuMemAddressFree(1 << 40, LARGE))
    yield "while mapped", ask(cu.cuMemAddressFree(mapped_in(reserve()), LARGE))
    base = reserve()
    yield "right", ask(cu.cuMemAddressFree(base, LARGE))
    yield "twice", ask(cu.cuMemAddressFree(base, LARGE))
    yield "device memory", ask(cu.cuMemAddressFree(int(must(cu.cuMemAlloc(LARGE))), LARGE))
    for kind in ("pinned", "pageable"):
        yield kind, ask(cu.cuMemAddressFree(make(kind).address, LARGE))
