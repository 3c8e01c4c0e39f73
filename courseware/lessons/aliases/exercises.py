"""Exercises of "Several addresses of one memory": the other addresses of a byte."""
from ...exercises.exercise import Case, Exercise, Instead, Mistake, change, slip
from . import harness


def _aliases(what, layout, order, place, byte, hidden=True):
    others = [f"byte {byte} of place {number}" for number, letter in enumerate(layout)
              if letter == layout[place] != "." and number != place]
    return Case(what, (layout, order, place, byte), others, hidden,
                f"other_addresses(mappings, address of byte {byte} of place {place}), where the memories are "
                + " ".join(layout))


aliases = Exercise(
    id="aliases", title="The other addresses of a byte", name="other_addresses", minutes=8, sandboxed=True,
    run=harness.other_addresses,
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
    hints=("`error, handle = cu.cuMemRetainAllocationHandle(address)`, and then `cu.cuMemRelease(handle)`. As a "
           "number, `int(handle)`, it can be compared.",
           "First find the mapping that holds the address: it gives how far into the memory the byte is. Then take "
           "every other mapping of the same memory, and add that distance to where it begins."),
    mistakes=(
        slip("    cu.cuMemRelease(handle)\n", "",
             "Each question retains the handle, and you do not release it: the memory would never be freed. Call "
             "`cu.cuMemRelease(handle)`."),
        slip("one != start and ", "", "The address that was asked about is not another one: leave its own mapping out.",
             change("one + address - start", "one", "one != start and ", "")),
        slip("one + address - start", "one",
             "You give where the other mappings begin: add how far into the memory the byte is."),
        slip("one + address - start", "address - start",
             "You give how far into the memory the byte is. Add that to where each of the other mappings begins."),
        slip("one + address - start", "one + address",
             "You add the whole address. Add only how far into its mapping it is: `address - start`."),
        slip(" and memory_at(one) == memory_at(start)", "",
             "You go over the mappings of every memory: keep to the one that was asked about."),
        slip("if start <= address < start + nbytes", "if start <= address",
             "An address behind the end is taken for one of the mapping: look at `nbytes` too.",
             change("if start <= address < start + nbytes", "if address < start + nbytes")),
        slip("    return []\n", "        return []\n    return []\n",
             "You give up after the first mapping: the `return []` belongs behind the loop."),
        slip("    return []\n", "", "Where nothing is mapped you return None: return an empty list, `[]`."),
        slip("if start <= address < start + nbytes", "if start == address",
             "Only the start of a mapping is found: any address in it has aliases."),
        slip("""\
    error, handle = cu.cuMemRetainAllocationHandle(address)
    cu.cuMemRelease(handle)
    return int(handle)
""",
             """\
    attribute = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_BUFFER_ID
    error, number = cu.cuPointerGetAttribute(attribute, address)
    return number
""",
             "You find no alias at all. Compare the handles' numbers, `int(handle)`: `BUFFER_ID` differs for two "
             "mappings of one memory, and so do handles while they are objects."),
        slip("    for start, nbytes in mappings:", "    mine = memory_at(address)\n    for start, nbytes in mappings:",
             "Where nothing is mapped there is no handle, only an error, and `int(None)` raises. Look first whether a "
             "mapping holds the address."),
        slip("error, handle = cu", "handle = cu",
             "A call of cuda-bindings returns a tuple, with the error first: `error, handle = ...`."),
        slip("memory_at(one) == memory_at(start))", "memory_at(one) == memory_at(start))[:1]",
             "There may be more than one alias: return all of them.",
             change("memory_at(one) == memory_at(start))", "memory_at(one) == memory_at(start))[-1:]")),
        slip("if start <= address < start + nbytes", "if memory_at(start) == memory_at(address)",
             "The first mapping of that memory need not be the one that holds the address: look where the address "
             "lies, and whether anything is mapped there.",
             change("if start <= address < start + nbytes",
                    "if memory_at(address) == memory_at(start) and start <= address")),
    ),
    cases=(_aliases("an address with one alias", "pqp", (0, 1, 2), 0, 100, False),
           _aliases("an address with no alias", "pqp", (2, 0, 1), 1, 0, False),
           _aliases("the address of the alias", "pqp", (2, 1, 0), 2, 4096),
           _aliases("memory that is mapped three times", "prqppr", (4, 2, 0, 5, 1, 3), 3, 99),
           _aliases("reserved addresses with nothing mapped", "p.pq", (2, 0, 3), 1, 12),
           _aliases("the first address of a mapping, behind another one", "pqqp", (3, 0, 2, 1), 1, 0),
           _aliases("one mapping alone", "p.", (0,), 0, 7),
           _aliases("the last byte of what is asked about", "qp.p", (3, 0, 1), 1, (1 << 16) - 1)))


map_twice = Exercise(
    id="map-twice", title="Map one memory twice", name="map_twice", minutes=7, sandboxed=True, run=harness.map_twice,
    statement="""
Now with real calls. Write `map_twice(memory)`: it gets physical memory, as `reservation.create` makes it, of
`memory.nbytes` bytes, one granule or more. It maps the memory at two different addresses, lets the device read and
write at both, and returns the two mappings. Five lines are enough. The check writes through one address and reads
through the other.

    first, second = map_twice(reservation.create(reservation.granularity()))
""",
    hints=("An address comes from `reservation.reserve(memory.nbytes)`; its `map(memory)` gives a Mapping.",
           'Each mapping needs access of its own: `set_access("readwrite")`, twice.'),
    mistakes=(
        slip("for mapping in (first, second)", "for mapping in (first,)",
             "Access belongs to an address, not to the memory: the second mapping needs it too, and to write as well "
             "as to read."),
        slip("for mapping in (first, second)", "for mapping in (second,)",
             "Access belongs to an address, not to the memory: the first mapping needs it too, and to write as well as "
             "to read."),
        Mistake(Instead("""\
def map_twice(memory):
    with reservation.reserve(memory.nbytes) as one, reservation.reserve(memory.nbytes) as other:
        first, second = one.map(memory), other.map(memory)
        first.set_access("readwrite")
        second.set_access("readwrite")
        return first, second
"""),
                "At the end of a `with` block its addresses are freed, and what is mapped there is unmapped. The two "
                "mappings are used after your function has ended: no `with` here."),
        slip('    for mapping in (first, second):\n        mapping.set_access("readwrite")\n', "",
             'A mapping may be used only after `set_access`, and written after `set_access("readwrite")`: both need '
             'that.'),
        slip("return first, second", "return first",
             "You return one mapping. Both are asked for: `return first, second`."),
        slip("return first, second", "return first.start, second.start",
             "You return the addresses. The mappings themselves are asked for: `return first, second`."),
        slip("    second = reservation.reserve(memory.nbytes).map(memory)\n",
             "    second = reservation.reserve(memory.nbytes).map(reservation.create(memory.nbytes))\n",
             "These are two memories: what is written through one address is not seen through the other. Map the same "
             "memory again."),
        slip("second = reservation.reserve(memory.nbytes).map(memory)", "second = first",
             "That is one mapping, named twice: reserve a second range of addresses."),
        slip("""\
    first = reservation.reserve(memory.nbytes).map(memory)
    second = reservation.reserve(memory.nbytes).map(memory)
""",
             """\
    addresses = reservation.reserve(memory.nbytes)
    first = addresses.map(memory)
    second = addresses.map(memory)
""",
             "Where something is mapped, nothing else can be: reserve a second range of addresses."),
        slip("reservation.reserve(memory.nbytes)", "reservation.reserve(reservation.granularity())",
             "You reserve one granule of addresses, and the memory may be larger: reserve `memory.nbytes`."),
        slip("second = reservation.reserve(memory.nbytes).map(memory)", "second = reservation.reserve(memory.nbytes)",
             "The second range of addresses is reserved, and nothing is mapped there: `.map(memory)` does that."),
    ),
    cases=(Case("memory of one granule", (1,), "two addresses, one memory", False,
                "map_twice(reservation.create(reservation.granularity()))"),
           Case("memory of three granules", (3,), "two addresses, one memory", True,
                "map_twice(reservation.create(3 * reservation.granularity()))")))

EXERCISES = (aliases, map_twice)
