"""Lesson 05, Virtual reservations: addresses without memory, memory without an address, and aliases."""
import contextlib

from course_lib.core.ownership import current_context
from course_lib.reservation import physical

import pycuda.driver as cuda
from cuda.bindings import driver as cu

from .. import order
from ..exercise import Case, Exercise, Mistake, slip
from . import mapping_harness

BINDINGS = "from cuda.bindings import driver as cu\n"
RESERVE = BINDINGS + """
MINIMUM = cu.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM

def reserve_for(nbytes, where):
    error, granularity = cu.cuMemGetAllocationGranularity(where, MINIMUM)
    size = max(-(-nbytes // granularity), 1) * granularity
    error, address = cu.cuMemAddressReserve(size, 0, 0, 0)
    return address, size
"""
ASKED = "error, granularity = cu.cuMemGetAllocationGranularity(where, MINIMUM)"
ROUNDED = "max(-(-nbytes // granularity), 1) * granularity"


reserve_for = Exercise(
    id="reserve-for", lesson="05", title="A size that can be reserved", name="reserve_for", minutes=6, sandboxed=True,
    run=mapping_harness.reserve_for, cases=mapping_harness.sizes,
    statement="""
`cuMemAddressReserve` takes multiples of the granularity, but not 0. Write `reserve_for(nbytes, where)`:
ask the driver for the granularity, reserve the smallest range that has room for `nbytes` bytes, and return its
address and its size in bytes. `where` is the structure of the cell above, which says which kind of memory is meant.
The check looks whether that range is reserved, and frees it. Four lines are enough.

    address, size = reserve_for(1024, where)        # size is the granularity, 2097152 on an H200
""",
    starter=BINDINGS + """
MINIMUM = cu.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM

def reserve_for(nbytes, where):
    '''(address, size in bytes) of a reserved range with room for nbytes.'''
    ...         # about four lines
""",
    hints=("`error, granularity = cu.cuMemGetAllocationGranularity(where, MINIMUM)`. How many whole granules are "
           "needed? "
           "Division rounds down; you want up.",
           "`-(-a // b)` rounds up. What does it give for a multiple of the granularity, and for 0?"),
    solution=RESERVE,
    mistakes=(
        slip(RESERVE, "-(-nbytes // granularity)", "nbytes // granularity",
             "You round down: what is left over needs a granule of its own.",
             RESERVE.replace("-(-nbytes // granularity)", "round(nbytes / granularity)"),
             RESERVE.replace(ROUNDED, "nbytes // granularity * granularity")),
        slip(RESERVE, ROUNDED, "(nbytes // granularity + 1) * granularity",
             "You always add a granule. A size that is a multiple already stays as it is.",
             RESERVE.replace(ROUNDED, "nbytes + granularity - nbytes % granularity")),
        slip(RESERVE, ROUNDED, "granularity",
             "You always reserve one granule. A larger size needs more of them."),
        slip(RESERVE, ROUNDED, "max(nbytes, granularity)",
             "The driver refuses a size that is not a multiple of the granularity: round it up.",
             RESERVE.replace(ROUNDED, "nbytes"), RESERVE.replace(ROUNDED, "max(nbytes, 1)")),
        slip(RESERVE, ROUNDED, "granularity - nbytes % granularity",
             "You reserve what is missing up to the next multiple. Add it to the size that was asked for."),
        slip(RESERVE, "-(-nbytes // granularity)", "-(-nbytes // granularity) + 1",
             "You add a granule to what is rounded up already."),
        slip(RESERVE, "max(-(-nbytes // granularity), 1)", "-(-nbytes // granularity)",
             "For 0 bytes you ask for 0, which is refused: one granule is the least."),
        slip(RESERVE, ASKED, "granularity = 2097152",
             "You take 2 MiB for granted. Another device may have another granularity: ask the driver for it.",
             RESERVE.replace(f"    {ASKED}\n", "").replace("granularity", "(2 << 20)")),
        slip(RESERVE, " * granularity", "",
             "You ask for a number of granules. The call wants bytes.",
             RESERVE.replace("return address, size", "return address, size // granularity")),
        slip(RESERVE, "return address, size", "return address",
             "You return the address alone. The size is asked for as well: nobody could free the range without it.",
             RESERVE.replace("return address, size", "return int(address)")),
        slip(RESERVE, "return address, size", "return size, address",
             "The two are exchanged: first the address, and then the size."),
        slip(RESERVE, "    return address, size", "    cu.cuMemAddressFree(address, size)\n    return address, size",
             "You free the range before you return it: its addresses may be given to somebody else now. Who asked for it frees it."),
        slip(RESERVE, "return address, size", "return address, nbytes",
             "You return the size that was asked for. What is reserved, and has to be freed, is the rounded one."),
        slip(RESERVE, "error, address = cu", "address = cu",
             "A call of cuda-bindings returns a tuple, with the error first: `error, address = ...`."),
    ))

LINES = {
    "reserve": "address = cuMemAddressReserve(size, 0, 0, 0)",
    "create": "memory = cuMemCreate(size, on_the_device, 0)",
    "map": "cuMemMap(address, size, 0, memory, 0)",
    "access": "cuMemSetAccess(address, size, [may_read_and_write], 1)",
    # A memset returns before it is done, and memory that is taken away meanwhile breaks the context.
    "use": "cuMemsetD8(address, 7, size); cuCtxSynchronize()",
    "unmap": "cuMemUnmap(address, size)",
    "release": "cuMemRelease(memory)",
    "free": "cuMemAddressFree(address, size)",
}


@contextlib.contextmanager
def _world():
    right = cu.CUmemAccessDesc()
    right.location, right.flags = physical.location("device"), cu.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    names = order.calls("cuMemAddressReserve", "cuMemCreate", "cuMemMap", "cuMemSetAccess", "cuMemsetD8",
                        "cuCtxSynchronize", "cuMemUnmap", "cuMemRelease", "cuMemAddressFree")
    names |= {"size": physical.granularity(), "on_the_device": physical.properties("device"),
              "may_read_and_write": right}
    try:
        yield names
    finally:
        cuda.Context.synchronize()
        order.undo(names, LINES["unmap"], LINES["release"], LINES["free"])


def _order_cases(stack):
    current_context()
    yield Case("the calls in your order", (_world,), order.SUCCESS)


vmm_order = Exercise(
    id="vmm-order", lesson="05", title="From an address to memory, and back", name="order", kind="order", minutes=5,
    # An H200's driver follows a released handle, and the process ends by a segmentation fault.
    lines=LINES, run=lambda answer, world: order.execute(LINES, answer, world, [("release", "memory")]),
    cases=_order_cases,
    statement="""
Eight calls make memory at an address of its own, use it, and give everything back. The lines are in no order: find
one that works. The check makes the calls in your order, so that the driver itself answers; several orders are right,
and some of them look odd.
""",
    starter="...",
    hints=("Mapping joins an address and memory: it needs both. Before anything may use the address, somebody has "
           "to be given access.",
           "Going back: addresses can be freed only when nothing is mapped there. The handle may be released at any "
           "time after the map, for the mapping keeps the memory alive."),
    solution="reserve create map access use unmap release free",
    mistakes=(
        Mistake("reserve create access map use unmap release free",
                "Access is given to a mapping, and there is none yet: map first."),
        Mistake("reserve create map use access unmap release free",
                "Mapped is not yet accessible: until access is set, nobody may use the address."),
        Mistake("reserve create map access unmap use release free",
                "After `cuMemUnmap` nothing is at the address any more: use it before you unmap."),
        Mistake("reserve create use map access unmap release free",
                "The address alone is not memory. Map, and set access, before anything uses it."),
        Mistake("reserve create unmap map access use release free",
                "There is nothing to unmap yet: map first."),
        Mistake("reserve create map unmap access use release free",
                "After `cuMemUnmap` there is no mapping left to give access to: unmap when the work is done."),
        Mistake("reserve create release map access use unmap free",
                "A released handle cannot be mapped. Release it after the map: from then on the mapping keeps the "
                "memory alive."),
        Mistake("reserve create map access use release free unmap",
                "Addresses are freed after the unmap: not while something is mapped there.",
                also=("reserve create free map access use unmap release",)),
        Mistake("reserve release create map access use unmap free",
                "There is no handle to release yet: create the memory first."),
        Mistake("create free reserve map access use unmap release",
                "There are no addresses to free yet: reserve them first."),
        Mistake("create map reserve access use unmap release free",
                "Mapping needs an address and memory: reserve the one and create the other first."),
        Mistake("reserve map create access use unmap release free",
                "There is nothing to map yet: create the memory first."),
    ))

ALIASES = BINDINGS + """
def memory_at(address):
    error, handle = cu.cuMemRetainAllocationHandle(address)
    cu.cuMemRelease(handle)
    return int(handle)

def other_addresses(mappings, address):
    for start, nbytes in mappings:
        if start <= address < start + nbytes:
            return sorted(one + address - start for one, _ in mappings
                          if one != start and memory_at(one) == memory_at(start))
    return []
"""
IN_HERE, SAME_MEMORY = "if start <= address < start + nbytes", "memory_at(one) == memory_at(start)"


def _aliases(what, layout, order, place, byte, hidden=True):
    others = [f"byte {byte} of place {number}" for number, letter in enumerate(layout)
              if letter == layout[place] != "." and number != place]
    return Case(what, (layout, order, place, byte), others, hidden,
                f"other_addresses(mappings, address of byte {byte} of place {place}), where the memories are "
                + " ".join(layout))


aliases = Exercise(
    id="aliases", lesson="05", title="The other addresses of a byte", name="other_addresses", minutes=8, sandboxed=True,
    run=mapping_harness.other_addresses,
    statement="""
One allocation can be mapped at several addresses, its aliases. A program keeps where it has mapped something, as
`(start, nbytes)` in no order, but not what. Ask the driver: where two mappings show one memory,
`cuMemRetainAllocationHandle` gives the same handle for both. Write `other_addresses(mappings, address)`: every other
address of the same byte, sorted; `[]` where there is none, or where nothing is mapped. Each allocation is mapped
whole. The call retains the handle, so release it each time: memory lives as long as somebody has its handle. Eight
lines are enough.

    # places 0, 1 and 2 are mapped, and the memories there are p, q, p
    other_addresses(mappings, address of byte 100 of place 0)       # [address of byte 100 of place 2]
    other_addresses(mappings, address of byte 0 of place 1)         # []
""",
    starter=BINDINGS + """
def memory_at(address):
    '''A number for the memory that is mapped at an address.'''
    ...         # three lines

def other_addresses(mappings, address):
    '''The other addresses of the byte at an address, sorted.'''
    ...         # about five lines
""",
    hints=("`error, handle = cu.cuMemRetainAllocationHandle(address)`, and then `cu.cuMemRelease(handle)`. As a "
           "number, "
           "`int(handle)`, it can be compared.",
           "First find the mapping that holds the address: it gives how far into the memory the byte is. Then take "
           "every "
           "other mapping of the same memory, and add that distance to where it begins."),
    solution=ALIASES,
    mistakes=(
        slip(ALIASES, "    cu.cuMemRelease(handle)\n", "",
             "Each question retains the handle, and you do not release it: the memory would never be freed. Call "
             "`cu.cuMemRelease(handle)`."),
        slip(ALIASES, "one != start and ", "",
             "The address that was asked about is not another one: leave its own mapping out.",
             ALIASES.replace("one + address - start", "one").replace("one != start and ", "")),
        slip(ALIASES, "one + address - start", "one",
             "You give where the other mappings begin: add how far into the memory the byte is."),
        slip(ALIASES, "one + address - start", "address - start",
             "You give how far into the memory the byte is. Add that to where each of the other mappings begins."),
        slip(ALIASES, "one + address - start", "one + address",
             "You add the whole address. Add only how far into its mapping it is: `address - start`."),
        slip(ALIASES, " and " + SAME_MEMORY, "",
             "You go over the mappings of every memory: keep to the one that was asked about."),
        slip(ALIASES, "if start <= address < start + nbytes", "if start <= address",
             "An address behind the end is taken for one of the mapping: look at `nbytes` too.",
             ALIASES.replace(IN_HERE, "if address < start + nbytes")),
        slip(ALIASES, "    return []\n", "        return []\n    return []\n",
             "You give up after the first mapping: the `return []` belongs behind the loop.",
             ALIASES.replace("    return []", "        else:\n            return []\n    return []")),
        slip(ALIASES, "    return []\n", "",
             "Where nothing is mapped you return None: return an empty list, `[]`.",
             ALIASES.replace("return []", "return None")),
        slip(ALIASES, IN_HERE, "if start == address",
             "Only the start of a mapping is found: any address in it has aliases."),
        slip(ALIASES, ALIASES[ALIASES.index("    error, handle"):ALIASES.index("def other")], """\
    attribute = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_BUFFER_ID
    error, number = cu.cuPointerGetAttribute(attribute, address)
    return number

""",
             "You find no alias at all. Compare the handles' numbers, `int(handle)`: `BUFFER_ID` differs for two mappings of "
             "one memory, and so do handles while they are objects."),
        slip(ALIASES, "    for start, nbytes in mappings:", "    mine = memory_at(address)\n    for start, nbytes in mappings:",
             "Where nothing is mapped there is no handle, only an error, and `int(None)` raises. Look first whether a mapping "
             "holds the address."),
        slip(ALIASES, "error, handle = cu", "handle = cu",
             "A call of cuda-bindings returns a tuple, with the error first: `error, handle = ...`."),
        slip(ALIASES, SAME_MEMORY + ")", SAME_MEMORY + ")[:1]",
             "There may be more than one alias: return all of them.", """
from cuda.bindings import driver as cu
def other_addresses(mappings, address):
    def memory_at(at):
        error, handle = cu.cuMemRetainAllocationHandle(at)
        cu.cuMemRelease(handle)
        return int(handle)
    for start, nbytes in sorted(mappings):
        if start <= address < start + nbytes:
            for one, _ in sorted(mappings):
                if memory_at(one) == memory_at(start) and one != start:
                    return [one + address - start]
    return []
""", ALIASES.replace(SAME_MEMORY + ")", SAME_MEMORY + ")[-1:]")),
        slip(ALIASES, IN_HERE, "if memory_at(start) == memory_at(address)",
             "The first mapping of that memory need not be the one that holds the address: look where the address "
             "lies, and "
             "whether anything is mapped there.",
             ALIASES.replace(IN_HERE, "if memory_at(address) == memory_at(start) and start <= address")),
    ),
    cases=(_aliases("an address with one alias", "pqp", (0, 1, 2), 0, 100, False),
           _aliases("an address with no alias", "pqp", (2, 0, 1), 1, 0, False),
           _aliases("the address of the alias", "pqp", (2, 1, 0), 2, 4096),
           _aliases("memory that is mapped three times", "prqppr", (4, 2, 0, 5, 1, 3), 3, 99),
           _aliases("reserved addresses with nothing mapped", "p.pq", (2, 0, 3), 1, 12),
           _aliases("the first address of a mapping, behind another one", "pqqp", (3, 0, 2, 1), 1, 0),
           _aliases("one mapping alone", "p.", (0,), 0, 7),
           _aliases("the last byte of what is asked about", "qp.p", (3, 0, 1), 1, (1 << 16) - 1)))

TWICE = """
def map_twice(memory):
    first = reservation.reserve(memory.nbytes).map(memory)
    second = reservation.reserve(memory.nbytes).map(memory)
    for mapping in (first, second):
        mapping.set_access("readwrite")
    return first, second
"""
IMPORT = "from course_lib import reservation\n"


def _written(mapping, value, nbytes):
    """May the device write there?"""
    try:
        cuda.memset_d8(mapping.start, value, nbytes)
    except cuda.LogicError:
        return False
    return True


def _map_twice(answer, granules):
    """What came of the learner's two mappings: a sentence without addresses."""
    with physical.create(granules * physical.granularity()) as memory:
        got = answer(memory)
        if got is None:
            return None
        if not isinstance(got, (tuple, list)):
            return f"one {type(got).__name__} alone"
        if len(got) != 2:
            return f"a {type(got).__name__} of {len(got)}, and not of two"
        other = next((one for one in got if not hasattr(one, "set_access") or not hasattr(one, "start")), None)
        if other is not None:
            return f"no mapping: an object of type {type(other).__name__}"
        first, second = got
        if first.start == second.start:
            return "one address"
        refused = [name for name, mapping, value in (("first", first, 1), ("second", second, 2))
                   if not _written(mapping, value, memory.nbytes)]
        if refused:
            which = "neither may" if len(refused) == 2 else f"the {refused[0]} may not"
            return f"two addresses, and {which} be written"
        byte = cuda.from_device(first.start + memory.nbytes - 1, 1, "uint8")[0]
        return "two addresses, one memory" if byte == 2 else "two addresses, two memories"


map_twice = Exercise(
    id="map-twice", lesson="05", title="Map one memory twice", name="map_twice", minutes=7, sandboxed=True,
    run=_map_twice,
    statement="""
Now with real calls. Write `map_twice(memory)`: it gets physical memory, as `reservation.create` makes it, of
`memory.nbytes` bytes, one granule or more. It maps the memory at two different addresses, lets the device read and
write at both, and returns the two mappings. Five lines are enough. The check writes through one address and reads
through the other.

    first, second = map_twice(reservation.create(reservation.granularity()))
""",
    starter=IMPORT + """
def map_twice(memory):
    '''Two mappings of the same memory, both accessible.'''
    ...         # about five lines
""",
    hints=("An address comes from `reservation.reserve(memory.nbytes)`; its `map(memory)` gives a Mapping.",
           "Each mapping needs access of its own: `set_access(\"readwrite\")`, twice."),
    solution=IMPORT + TWICE,
    mistakes=(
        slip(IMPORT + TWICE, "for mapping in (first, second)", "for mapping in (first,)",
             "Access belongs to an address, not to the memory: the second mapping needs it too, and to write as well as to read."),
        slip(IMPORT + TWICE, "for mapping in (first, second)", "for mapping in (second,)",
             "Access belongs to an address, not to the memory: the first mapping needs it too, and to write as well as to read."),
        Mistake(IMPORT + """
def map_twice(memory):
    with reservation.reserve(memory.nbytes) as one, reservation.reserve(memory.nbytes) as other:
        first, second = one.map(memory), other.map(memory)
        first.set_access("readwrite")
        second.set_access("readwrite")
        return first, second
""",
                "At the end of a `with` block its addresses are freed, and what is mapped there is unmapped. The two mappings "
                "are used after your function has ended: no `with` here."),
        slip(IMPORT + TWICE, """    for mapping in (first, second):
        mapping.set_access("readwrite")
""", "",
             "A mapping may be used only after `set_access`, and written after `set_access(\"readwrite\")`: both need that.",
             (IMPORT + TWICE).replace('"readwrite"', '"read"')),
        slip(IMPORT + TWICE, "return first, second", "return first",
             "You return one mapping. Both are asked for: `return first, second`."),
        slip(IMPORT + TWICE, "return first, second", "return first.start, second.start",
             "You return the addresses. The mappings themselves are asked for: `return first, second`."),
        slip(IMPORT + TWICE, "    second = reservation.reserve(memory.nbytes).map(memory)\n",
             "    second = reservation.reserve(memory.nbytes).map(reservation.create(memory.nbytes))\n",
             "These are two memories: what is written through one address is not seen through the other. Map the same "
             "memory again."),
        slip(IMPORT + TWICE, "second = reservation.reserve(memory.nbytes).map(memory)", "second = first",
             "That is one mapping, named twice: reserve a second range of addresses."),
        slip(IMPORT + TWICE, """    first = reservation.reserve(memory.nbytes).map(memory)
    second = reservation.reserve(memory.nbytes).map(memory)
""", """    addresses = reservation.reserve(memory.nbytes)
    first = addresses.map(memory)
    second = addresses.map(memory)
""",
             "Where something is mapped, nothing else can be: reserve a second range of addresses."),
        slip(IMPORT + TWICE, "reservation.reserve(memory.nbytes)", "reservation.reserve(reservation.granularity())",
             "You reserve one granule of addresses, and the memory may be larger: reserve `memory.nbytes`."),
        slip(IMPORT + TWICE, "second = reservation.reserve(memory.nbytes).map(memory)",
             "second = reservation.reserve(memory.nbytes)",
             "The second range of addresses is reserved, and nothing is mapped there: `.map(memory)` does that."),
    ),
    cases=(Case("memory of one granule", (1,), "two addresses, one memory", False,
                "map_twice(reservation.create(reservation.granularity()))"),
           Case("memory of three granules", (3,), "two addresses, one memory", True,
                "map_twice(reservation.create(3 * reservation.granularity()))")))

EXERCISES = (reserve_for, vmm_order, aliases, map_twice)
