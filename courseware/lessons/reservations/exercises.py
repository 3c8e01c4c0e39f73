"""Exercises of "Virtual reservations": addresses without memory, and the steps to memory."""
from ...exercises.exercise import Exercise, Mistake, change, slip
from . import harness

reserve_for = Exercise(
    id="reserve-for", title="A size that can be reserved", name="reserve_for", minutes=6, sandboxed=True,
    run=harness.reserve_for, cases=harness.sizes,
    statement="""
`cuMemAddressReserve` takes multiples of the granularity, but not 0. Write `reserve_for(nbytes, where)`:
ask the driver for the granularity, reserve the smallest range that has room for `nbytes` bytes, and return its
address and its size in bytes. `where` is the structure of the cell above, which says which kind of memory is meant.
The check looks whether that range is reserved, and frees it. Four lines are enough.

    address, size = reserve_for(1024, where)        # size is the granularity, 2097152 on an H200
""",
    hints=("`error, granularity = cu.cuMemGetAllocationGranularity(where, MINIMUM)`. How many whole granules are "
           "needed? Division rounds down; you want up.",
           "`-(-a // b)` rounds up. What does it give for a multiple of the granularity, and for 0?"),
    mistakes=(
        slip("-(-nbytes // granularity)", "nbytes // granularity",
             "You round down: what is left over needs a granule of its own.",
             change("-(-nbytes // granularity)", "round(nbytes / granularity)"),
             change("max(-(-nbytes // granularity), 1) * granularity", "nbytes // granularity * granularity")),
        slip("max(-(-nbytes // granularity), 1) * granularity", "(nbytes // granularity + 1) * granularity",
             "You always add a granule. A size that is a multiple already stays as it is.",
             change("max(-(-nbytes // granularity), 1) * granularity", "nbytes + granularity - nbytes % granularity")),
        slip("max(-(-nbytes // granularity), 1) * granularity", "granularity",
             "You always reserve one granule. A larger size needs more of them."),
        slip("max(-(-nbytes // granularity), 1) * granularity", "max(nbytes, granularity)",
             "The driver refuses a size that is not a multiple of the granularity: round it up.",
             change("max(-(-nbytes // granularity), 1) * granularity", "max(nbytes, 1)")),
        slip("max(-(-nbytes // granularity), 1) * granularity", "granularity - nbytes % granularity",
             "You reserve what is missing up to the next multiple. Add it to the size that was asked for."),
        slip("-(-nbytes // granularity)", "-(-nbytes // granularity) + 1",
             "You add a granule to what is rounded up already."),
        slip("max(-(-nbytes // granularity), 1)", "-(-nbytes // granularity)",
             "For 0 bytes you ask for 0, which is refused: one granule is the least."),
        slip("error, granularity = cu.cuMemGetAllocationGranularity(where, MINIMUM)", "granularity = 2097152",
             "You take 2 MiB for granted. Another device may have another granularity: ask the driver for it.",
             change("    error, granularity = cu.cuMemGetAllocationGranularity(where, MINIMUM)\n", "", "granularity",
                    "(2 << 20)")),
        slip(" * granularity", "", "You ask for a number of granules. The call wants bytes.",
             change("return address, size", "return address, size // granularity")),
        slip("return address, size", "return address",
             "You return the address alone. The size is asked for as well: nobody could free the range without it.",
             change("return address, size", "return int(address)")),
        slip("return address, size", "return size, address",
             "The two are exchanged: first the address, and then the size."),
        slip("    return address, size", "    cu.cuMemAddressFree(address, size)\n    return address, size",
             "You free the range before you return it: its addresses may be given to somebody else now. Who asked for "
             "it frees it."),
        slip("return address, size", "return address, nbytes",
             "You return the size that was asked for. What is reserved, and has to be freed, is the rounded one."),
        slip("error, address = cu", "address = cu",
             "A call of cuda-bindings returns a tuple, with the error first: `error, address = ...`."),
    ))


vmm_order = Exercise(
    id="vmm-order", title="From an address to memory, and back", name="order", kind="order", minutes=5,
    run=harness.put_in_order, cases=harness.order_cases, lines=harness.LINES,
    statement="""
Eight calls make memory at an address of its own, use it, and give everything back. The lines are in no order: find
one that works. The check makes the calls in your order, so that the driver itself answers; several orders are right,
and some of them look odd.
""",
    hints=("Mapping joins an address and memory: it needs both. Before anything may use the address, somebody has to "
           "be given access.",
           "Going back: addresses can be freed only when nothing is mapped there. The handle may be released at any "
           "time after the map, for the mapping keeps the memory alive."),
    mistakes=(
        Mistake("reserve create access map use unmap release free",
                "Access is given to a mapping, and there is none yet: map first."),
        Mistake("reserve create map use access unmap release free",
                "Mapped is not yet accessible: until access is set, nobody may use the address."),
        Mistake("reserve create map access unmap use release free",
                "After `cuMemUnmap` nothing is at the address any more: use it before you unmap."),
        Mistake("reserve create use map access unmap release free",
                "The address alone is not memory. Map, and set access, before anything uses it."),
        Mistake("reserve create unmap map access use release free", "There is nothing to unmap yet: map first."),
        Mistake("reserve create map unmap access use release free",
                "After `cuMemUnmap` there is no mapping left to give access to: unmap when the work is done."),
        Mistake("reserve create release map access use unmap free",
                "A released handle cannot be mapped. Release it after the map: from then on the mapping keeps the "
                "memory alive."),
        Mistake("reserve create map access use release free unmap",
                "Addresses are freed after the unmap: not while something is mapped there.",
                also=("reserve create free map access use unmap release\n",)),
        Mistake("reserve release create map access use unmap free",
                "There is no handle to release yet: create the memory first."),
        Mistake("create free reserve map access use unmap release",
                "There are no addresses to free yet: reserve them first."),
        Mistake("create map reserve access use unmap release free",
                "Mapping needs an address and memory: reserve the one and create the other first."),
        Mistake("reserve map create access use unmap release free",
                "There is nothing to map yet: create the memory first."),
    ))

EXERCISES = (reserve_for, vmm_order)
