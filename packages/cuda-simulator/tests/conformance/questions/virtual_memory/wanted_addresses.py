"""What becomes of the address that a program would like for a reservation; each beside what comes without a wish.

The address that the same call gives without a wish is found out first, and given back, so that a wish that was granted can be told
from luck.
"""
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.calls import ask, must, where
from ...helpers.memory_kinds import LARGE, reserve

TIB = 1 << 40
CHOICE = "where the driver has something of its own, and which of the freed addresses it keeps together, is its choice"


def unwished_address(size):
    """Where a reservation of this size would be put without a wish; nothing is left behind."""
    address = reserve(size)
    must(cu.cuMemAddressFree(address, size))
    return address


def wish_outcome(wish, size=LARGE, compared=True):
    """Reserve with a wish: "the wish", "as without a wish", "another", or the error. The range stays reserved."""
    usual = unwished_address(size) if compared else None
    result = cu.cuMemAddressReserve(size, 0, wish, 0)
    if int(result[0]):
        return ask(result)
    at = int(result[1])
    granted = "the wish" if at == wish else "as without a wish" if at == usual else "another"
    return granted + (", which comes without a wish as well" if wish == usual else "")


@question("a wish for an address just freed, beside no wish", alone=True)
def just_freed():
    for size in (1, 2, 8, 512):
        address = reserve(size * LARGE)
        must(cu.cuMemAddressFree(address, size * LARGE))
        address_again = reserve(size * LARGE)
        yield f"{size} x 2 MiB, no wish", where(address_again, first=address) == "first"
        must(cu.cuMemAddressFree(address_again, size * LARGE))
        yield f"{size} x 2 MiB, wish", wish_outcome(address, size * LARGE)


@question("wishes in the middle of a range that was freed", alone=True, varies=CHOICE)
def middle_of_freed():
    for compared in (False, True):
        for label, size in (("16 MiB", 8 * LARGE), ("1 GiB", 1 << 30), ("1 TiB", TIB)):
            base = reserve(size)
            must(cu.cuMemAddressFree(base, size))
            for part, offset in (("at a quarter", size // 4), ("in the middle", size // 2), ("the last 2 MiB", size - LARGE),
                                 ("the first 2 MiB", 0)):
                yield f"{label}, {part}{', compared' * compared}", wish_outcome(base + offset, compared=compared)


@question("the two halves of a range that was freed, wished for in order and the other way round", alone=True,
          varies={"in order, compared": CHOICE})
def halves():
    for label, order in (("in order", (0, 1)), ("the other way round", (1, 0))):
        for compared in (False, True):
            base = reserve(2 * LARGE)
            must(cu.cuMemAddressFree(base, 2 * LARGE))
            yield f"{label}{', compared' * compared}", [wish_outcome(base + part * LARGE, compared=compared) for part in order]
    base = reserve(2 * LARGE)
    must(cu.cuMemAddressFree(base, 2 * LARGE))
    half = reserve()
    yield "a half without a wish", where(half, base=base) in ("base", f"base+{LARGE}")


@question("wishes beside a living reservation", alone=True, varies=CHOICE)
def beside_a_living_one():
    base = reserve(8 * LARGE)
    for label, wish in (("right behind it", base + 8 * LARGE), ("right before it", base - LARGE), ("64 MiB behind", base + (64 << 20)),
                        ("64 MiB before", base - (64 << 20)), ("1 GiB behind", base + (1 << 30)), ("1 GiB before", base - (1 << 30)),
                        ("64 GiB behind", base + (64 << 30)), ("64 GiB before", base - (64 << 30)),
                        ("1 TiB behind", base + TIB), ("1 TiB before", base - TIB), ("occupied", base)):
        yield label, wish_outcome(wish)


@question("wishes for round addresses", alone=True, varies=CHOICE)
def round_addresses():
    for power in (21, 25, 30, 33, 35, 37, 39, 40, 41, 42, 43, 44, 45, 46):
        yield f"2^{power}", wish_outcome(1 << power)
    for label, wish in (("0x2000_0000_0000", 0x200000000000), ("0x3000_0000_0000", 0x300000000000), ("0x4000_0000_0000", 0x400000000000),
                        ("0x6000_0000_0000", 0x600000000000), ("0x7000_0000_0000", 0x700000000000), ("0x5000_0000_0000", 0x500000000000)):
        yield label, wish_outcome(wish)


@question("wishes of larger ranges, at addresses that the driver gave before", alone=True, varies=CHOICE)
def larger():
    for label, size in (("1 GiB", 1 << 30), ("64 GiB", 64 << 30), ("1 TiB", TIB)):
        usual = unwished_address(size)
        yield f"{label}, where it was freed", wish_outcome(usual, size)
        usual = unwished_address(size)
        yield f"{label}, one size behind", wish_outcome(usual + size, size)
        yield f"{label}, one size before", wish_outcome(usual - size, size)


@question("a wish is granted as often as it is repeated", alone=True)
def repeated():
    base = reserve(8 * LARGE)
    must(cu.cuMemAddressFree(base, 8 * LARGE))
    granted = []
    for _ in range(4):
        address = must(cu.cuMemAddressReserve(LARGE, 0, base + 3 * LARGE, 0))
        granted.append(int(address) == base + 3 * LARGE)
        must(cu.cuMemAddressFree(address, LARGE))
    yield "the same wish four times", granted


@question("wishes after a context ended, and without one", alone=True, varies=CHOICE)
def without_a_context():
    base = reserve(8 * LARGE)
    must(cu.cuMemAddressFree(base, 8 * LARGE))
    must(cu.cuCtxDestroy(must(cu.cuCtxGetCurrent())))
    yield "in the middle", wish_outcome(base + 4 * LARGE)
    yield "1 GiB behind", wish_outcome(base + (1 << 30))
