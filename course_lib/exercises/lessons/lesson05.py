"""Lesson 05, Virtual reservations: addresses without memory, memory without an address, and aliases."""
import contextlib

import pycuda.driver as cuda
from cuda.bindings import driver as cu

from ...core.ownership import current_context
from ...reservation import physical
from .. import order
from ..exercise import Case, Exercise, Mistake, slip

MIB2 = 2 << 20

ROUND_UP = """
def round_up(nbytes, granularity):
    return max(-(-nbytes // granularity), 1) * granularity
"""

round_up = Exercise(
    id="round-up", lesson="05", title="A size that can be reserved", name="round_up", minutes=4,
    statement="""
`cuMemAddressReserve` takes multiples of the granularity, and 0 is none of them. Write `round_up(nbytes,
granularity)`: the smallest size that it takes and that has room for `nbytes` bytes. One line is enough.

    round_up(1024, 2097152)         # 2097152
    round_up(2097153, 2097152)      # 4194304
""",
    starter="""
def round_up(nbytes, granularity):
    '''The size to ask for, in bytes.'''
    ...         # one line, or three
""",
    hints=("How many whole granules are needed? Division rounds down; you want up.",
           "`-(-a // b)` rounds up. What does it give for a multiple of the granularity, and for 0?"),
    solution=ROUND_UP,
    mistakes=(
        slip(ROUND_UP, "-(-nbytes // granularity)", "nbytes // granularity",
             "You round down: what is left over needs a granule of its own.",
             ROUND_UP.replace("max(-(-nbytes // granularity), 1)", "(nbytes // granularity)"),
             ROUND_UP.replace("-(-nbytes // granularity)", "round(nbytes / granularity)")),
        slip(ROUND_UP, "max(-(-nbytes // granularity), 1)", "(nbytes // granularity + 1)",
             "You always add a granule. A size that is a multiple already stays as it is.",
             ROUND_UP.replace("-(-nbytes // granularity)", "nbytes // granularity + 1"),
             "def round_up(nbytes, granularity):\n    return nbytes + granularity - nbytes % granularity"),
        slip(ROUND_UP, "max(-(-nbytes // granularity), 1) * granularity", "granularity",
             "You always return one granule. A larger size needs more of them."),
        slip(ROUND_UP, "max(-(-nbytes // granularity), 1) * granularity", "max(nbytes, granularity)",
             "A size of more than one granule has to be a multiple, too: round it up.",
             ROUND_UP.replace("max(-(-nbytes // granularity), 1) * granularity",
                              "granularity if nbytes < granularity else nbytes")),
        slip(ROUND_UP, "max(-(-nbytes // granularity), 1) * granularity", "granularity - nbytes % granularity",
             "You return what is missing up to the next multiple. Add it to the size that was asked for.",
             ROUND_UP.replace("max(-(-nbytes // granularity), 1) * granularity", "-nbytes % granularity"),
             ROUND_UP.replace("max(-(-nbytes // granularity), 1) * granularity", "nbytes % granularity")),
        slip(ROUND_UP, "-(-nbytes // granularity)", "-(-nbytes // granularity) + 1",
             "You add a granule to what is rounded up already."),
        slip(ROUND_UP, "max(-(-nbytes // granularity), 1)", "-(-nbytes // granularity)",
             "For 0 bytes you ask for 0, which is refused: one granule is the least.",
             ROUND_UP.replace("max(-(-nbytes // granularity), 1)", "-(-nbytes // granularity) * (nbytes > 0)"),
             ROUND_UP.replace("return ", "return 1 if not nbytes else ")),
        slip(ROUND_UP, "-(-nbytes // granularity)", "-(-nbytes // 2097152)",
             "You count granules of 2 MiB. Another device may have another granularity: use the argument.",
             ROUND_UP.replace("granularity", "2097152").replace("(nbytes, 2097152)", "(nbytes, granularity)")),
        slip(ROUND_UP, "max(-(-nbytes // granularity), 1)", "max(nbytes / granularity, 1)",
             "You divide without rounding: the result is no multiple of the granularity."),
        slip(ROUND_UP, " * granularity", "",
             "You return how many granules. The call wants bytes.",
             ROUND_UP.replace("max(-(-nbytes // granularity), 1) * granularity", "-(-nbytes // granularity)"),
             ROUND_UP.replace("max(-(-nbytes // granularity), 1) * granularity", "nbytes // granularity")),
    ),
    cases=(Case("a size from the web", (1024, MIB2), MIB2),
           Case("one byte more than a granule", (MIB2 + 1, MIB2), 2 * MIB2),
           Case("a multiple already", (3 * MIB2, MIB2), 3 * MIB2, True), Case("0 bytes", (0, MIB2), MIB2, True),
           Case("another granularity", (70000, 65536), 131072, True),
           Case("one byte less than five granules", (5 * MIB2 - 1, MIB2), 5 * MIB2, True),
           Case("exactly one granule", (65536, 65536), 65536, True)),
    random_case=lambda source: (source.choice([source.randrange(1 << 24), source.randrange(40) * 65536]),
                                source.choice([65536, 131072, MIB2, 3 * 65536])))

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
                "The address alone is no memory. Map, and set access, before anything uses it."),
        Mistake("reserve create unmap map access use release free",
                "There is nothing to unmap yet: map first."),
        Mistake("reserve create map unmap access use release free",
                "After `cuMemUnmap` there is no mapping left to give access to: unmap when the work is done."),
        Mistake("reserve create release map access use unmap free",
                "A released handle cannot be mapped. Release it after the map: from then on the mapping keeps the "
                "memory alive."),
        Mistake("reserve create map access use release free unmap",
                "Addresses are freed last: not while something is mapped there.",
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

ALIASES = """
def other_addresses(mappings, address):
    for start, nbytes, memory in mappings:
        if start <= address < start + nbytes:
            return sorted(one + address - start for one, _, other in mappings
                          if other == memory and one != start)
    return []
"""
MAPPINGS = [(4096, 512, "p"), (9216, 256, "q"), (16384, 512, "p")]
MORE = [(7000, 100, 3), (100, 100, 8), (300, 100, 3), (5000, 100, 3), (700, 100, 5)]


def _mapped(source):
    """Up to five mappings beside each other, in no order, and an address in one of them or at its borders."""
    sizes = {memory: source.choice([40, 64, 100]) for memory in "pqr"}
    mappings = [(place * 100, sizes[memory], memory) for place, memory in
                enumerate((source.choice("ppqr") for _ in range(source.randint(1, 5))), 1)]
    source.shuffle(mappings)
    start, nbytes, _ = source.choice(mappings)
    return mappings, start + source.choice([0, 1, source.randrange(nbytes), nbytes - 1, nbytes, -1])


aliases = Exercise(
    id="aliases", lesson="05", title="The other addresses of a byte", name="other_addresses", minutes=6,
    statement="""
One allocation can be mapped at several addresses, its aliases. A program keeps its mappings as `(start, nbytes,
memory)`; equal `memory` means the same allocation, mapped whole. Write `other_addresses(mappings, address)`: every
other address of the same byte, sorted; `[]` where there is none. Four lines are enough.

    mappings = [(4096, 512, "p"), (9216, 256, "q"), (16384, 512, "p")]
    other_addresses(mappings, 4100)     # [16388]
    other_addresses(mappings, 9216)     # []
""",
    starter="""
def other_addresses(mappings, address):
    '''The other addresses of the byte at an address, sorted.'''
    ...         # about four lines
""",
    hints=("First find the mapping that holds the address: it gives the memory, and how far into it the byte is.",
           "Then take every other mapping of the same memory, and add that distance to where it begins."),
    solution=ALIASES,
    mistakes=(
        slip(ALIASES, " and one != start", "",
             "The address that was asked about is not another one: leave its own mapping out.",
             ALIASES.replace("one + address - start", "one").replace(" and one != start", "")),
        slip(ALIASES, "one + address - start", "one",
             "You give where the other mappings begin: add how far into the memory the byte is."),
        slip(ALIASES, "one + address - start", "address - start",
             "You give how far into the memory the byte is. Add that to where each of the other mappings begins."),
        slip(ALIASES, "one + address - start", "one + address",
             "You add the whole address. Add only how far into its mapping it is: `address - start`."),
        slip(ALIASES, "one + address - start", "one + start - address",
             "The distance has the wrong sign: it is `address - start`."),
        slip(ALIASES, "if other == memory and one != start", "if one != start",
             "You go over the mappings of every memory: keep to the one that was asked about.",
             ALIASES.replace("if other == memory and one != start", "")),
        slip(ALIASES, "if start <= address < start + nbytes", "if start <= address",
             "An address behind the end is taken for one of the mapping: look at `nbytes` too.",
             ALIASES.replace("if start <= address < start + nbytes", "if address < start + nbytes")),
        slip(ALIASES, "    return []\n", "        return []\n    return []\n",
             "You give up after the first mapping: the `return []` belongs behind the loop.",
             ALIASES.replace("    return []", "        else:\n            return []\n    return []")),
        slip(ALIASES, "    return []\n", "",
             "Where nothing is mapped you return None: a list without elements is wanted, `[]`.",
             ALIASES.replace("return []", "return None")),
        slip(ALIASES, "        if start <= address < start + nbytes:\n", "        if start <= address < nbytes:\n",
             "A mapping is given by its start and its *length*: it ends at `start + nbytes`."),
        slip(ALIASES, "if start <= address < start + nbytes", "if start == address",
             "Only the start of a mapping is found: any address in it has aliases."),
        slip(ALIASES, "address < start + nbytes", "address <= start + nbytes",
             "The first address behind a mapping is not in it any more: compare with `<`."),
        slip(ALIASES, "start <= address", "start < address",
             "The first address of a mapping belongs to it: compare with `<=`."),
        slip(ALIASES, "one != start)", "one != start)[:1]",
             "There may be more than one alias: return all of them.",
             """
def other_addresses(mappings, address):
    for start, nbytes, memory in mappings:
        if start <= address < start + nbytes:
            for one, _, other in mappings:
                if other == memory and one != start:
                    return [one + address - start]
    return []
""", ALIASES.replace("one != start)", "one != start)[-1:]")),
    ),
    cases=(Case("an address with one alias", (MAPPINGS, 4100), [16388]),
           Case("an address with no alias", (MAPPINGS, 9216), []),
           Case("the address of the alias", (MAPPINGS, 16384), [4096], True),
           Case("memory that is mapped three times", (MORE, 5099), [399, 7099], True),
           Case("an address where nothing is mapped", (MAPPINGS, 5000), [], True),
           Case("the first address behind a mapping", (MAPPINGS, 4608), [], True),
           Case("an address where one mapping ends and another begins",
                ([(0, 64, "p"), (64, 64, "q"), (256, 64, "q"), (512, 64, "p")], 64), [256], True),
           Case("the last byte of a mapping", (MAPPINGS, 4607), [16895], True),
           Case("the start of memory with two aliases", (MORE, 7000), [300, 5000], True)),
    random_case=_mapped)

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
Now with real calls. Write `map_twice(memory)`: it gets physical memory, as `reservation.create` makes it, maps it at
two different addresses, lets the device read and write at both, and returns the two mappings. Five lines are enough.
The check writes through one address and reads through the other.

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
             "Access belongs to an address, not to the memory: the second mapping needs it too."),
        slip(IMPORT + TWICE, "for mapping in (first, second)", "for mapping in (second,)",
             "Access belongs to an address, not to the memory: the first mapping needs it too."),
        slip(IMPORT + TWICE, """    for mapping in (first, second):
        mapping.set_access("readwrite")
""", "",
             "A mapping may be used only after `set_access`: both need it.",
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

EXERCISES = (round_up, vmm_order, aliases, map_twice)
