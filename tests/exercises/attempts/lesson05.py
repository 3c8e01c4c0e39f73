"""Attempts at the exercises of lesson 05."""
from . import right, wrong

ROUND = "import math\ndef round_up(nbytes, granularity):\n"
OTHERS = "def other_addresses(mappings, address):\n"
TWICE = "from course_lib import reservation\ndef map_twice(memory):\n"

ATTEMPTS = {
    "round-up": (
        right("an if", ROUND + """
    if nbytes == 0:
        return granularity
    if nbytes % granularity == 0:
        return nbytes
    return nbytes + granularity - nbytes % granularity"""),
        right("ceil", ROUND + "    return math.ceil(max(nbytes, 1) / granularity) * granularity"),
        right("a loop", ROUND + """
    size = granularity
    while size < nbytes:
        size += granularity
    return size"""),
        right("the usual formula", ROUND + "    return max((nbytes + granularity - 1) // granularity, 1) * granularity"),
        right("or", ROUND + "    return -(-nbytes // granularity) * granularity or granularity"),
        right("numbers of NumPy", "import numpy as np\n" + ROUND + "    return np.maximum(-(-nbytes // granularity), 1) * granularity"),
        wrong("NumPy's ceil", "it is a float", "import numpy as np\n" + ROUND + """
    return np.ceil(max(nbytes, 1) / granularity) * granularity"""),
        wrong("down", "You round down", ROUND + "    return nbytes // granularity * granularity"),
        wrong("down, one at least", "You round down", ROUND + "    return max(granularity, nbytes // granularity * granularity)"),
        wrong("round", "You round down", ROUND + "    return max(1, round(nbytes / granularity)) * granularity"),
        wrong("one more always", "You always add a granule", ROUND + "    return (nbytes // granularity + 1) * granularity"),
        wrong("one more always, by %", "You always add a granule", ROUND + "    return nbytes + granularity - nbytes % granularity"),
        wrong("0 for 0", "For 0 bytes you ask for 0", ROUND + "    return (nbytes + granularity - 1) // granularity * granularity"),
        wrong("0 for 0, by ceil", "For 0 bytes you ask for 0", ROUND + "    return math.ceil(nbytes / granularity) * granularity"),
        wrong("None for 0", "", ROUND + """
    if nbytes == 0:
        return None
    return math.ceil(nbytes / granularity) * granularity"""),
        wrong("2 MiB", "Another device may have another granularity", ROUND + "    return max(-(-nbytes // 2097152), 1) * 2097152"),
        wrong("granules", "The call wants bytes", ROUND + "    return max(math.ceil(nbytes / granularity), 1)"),
        wrong("granules, 0 for 0", "The call wants bytes", ROUND + "    return math.ceil(nbytes / granularity)"),
        wrong("not rounded", "without rounding", ROUND + "    return max(nbytes / granularity, 1) * granularity"),
        wrong("one granule", "You always return one granule", ROUND + "    return granularity"),
        wrong("the larger", "has to be a multiple, too", ROUND + "    return max(nbytes, granularity)"),
        wrong("as it is", "You return `nbytes` as it came in", ROUND + "    return nbytes"),
        wrong("what is missing", "what is missing up to the next multiple", ROUND + "    return granularity - nbytes % granularity"),
        wrong("text", "quotation marks", ROUND + "    return str(max(math.ceil(nbytes / granularity), 1) * granularity)"),
        wrong("next power of 2", "", ROUND + "    return max(1 << (max(nbytes, 1) - 1).bit_length(), granularity)"),
    ),
    "vmm-order": (
        *(right("an order that works", order) for order in (
            "reserve create map access use unmap release free", "create reserve map access use unmap free release",
            "create reserve map release access use unmap free", "reserve create map access release use unmap free",
            "reserve, create, map, access, use, release, unmap, free",
            ("create", "reserve", "map", "access", "use", "unmap", "release", "free"))),
        wrong("used after unmap", "After `cuMemUnmap` nothing is at the address", "reserve create map access unmap use release free"),
        wrong("used after unmap and release", "After `cuMemUnmap` nothing is at the address",
              "reserve create map access unmap release use free"),
        wrong("used before access", "until access is set", "reserve create map use access unmap release free"),
        wrong("used before map", "The address alone is no memory", "reserve create use map access unmap release free"),
        wrong("access before map", "Access is given to a mapping", "create reserve access map use unmap release free"),
        wrong("released before map", "A released handle cannot be mapped", "create release reserve map access use unmap free"),
        wrong("freed while mapped", "Addresses are freed last", "create reserve map access use free unmap release"),
        wrong("freed while mapped, handle released", "Addresses are freed last", "create reserve map access use release free unmap"),
        wrong("mapped before reserved", "Mapping needs an address and memory", "create map reserve access use unmap release free"),
        wrong("mapped before created", "nothing to map yet", "reserve map create access use unmap release free"),
        wrong("released before created", "no handle to release yet", "release create reserve map access use unmap free"),
        wrong("freed before reserved", "no addresses to free yet", "create free reserve map access use unmap release"),
        wrong("unmapped before mapped", "There is nothing to unmap yet", "reserve create unmap map access use release free"),
        wrong("access after unmap", "no mapping left", "reserve create map unmap access use release free"),
        wrong("backwards", "no addresses to free yet", "free release unmap use access map create reserve"),
        wrong("a line missing", "is missing", "reserve create map access use unmap release"),
    ),
    "aliases": (
        right("two loops", OTHERS + """
    found = []
    for start, n, memory in mappings:
        if address in range(start, start + n):
            for one, _, other in mappings:
                if other == memory and one != start:
                    found.append(one + address - start)
    return sorted(found)"""),
        right("two steps", OTHERS + """
    here = [m for m in mappings if 0 <= address - m[0] < m[1]]
    if not here:
        return []
    start, _, memory = here[0]
    return sorted(m[0] + address - start for m in mappings if m[2] == memory and m is not here[0])"""),
        right("the address taken out", OTHERS + """
    for start, n, memory in mappings:
        if start <= address < start + n:
            everywhere = {one + address - start for one, _, other in mappings if other == memory}
            return sorted(everywhere - {address})
    return []"""),
        right("a tuple", OTHERS + """
    return tuple(sorted(o + address - s for s, n, m in mappings if s <= address < s + n
                        for o, _, k in mappings if k == m and o != s))"""),
        wrong("<=", "compare with `<`", OTHERS + """
    for start, n, memory in mappings:
        if start <= address <= start + n:
            return sorted(o + address - start for o, _, k in mappings if k == memory and o != start)
    return []"""),
        wrong("itself among them", "is not another one", OTHERS + """
    for start, n, memory in mappings:
        if start <= address < start + n:
            return sorted(o + address - start for o, _, k in mappings if k == memory)
    return []"""),
        wrong("starts", "where the other mappings begin", OTHERS + """
    for start, n, memory in mappings:
        if start <= address < start + n:
            return sorted(o for o, _, k in mappings if k == memory and o != start)
    return []"""),
        wrong("every memory", "the mappings of every memory", OTHERS + """
    for start, n, memory in mappings:
        if start <= address < start + n:
            return sorted(o + address - start for o, _, k in mappings if o != start)
    return []"""),
        wrong("the start alone", "Only the start of a mapping", OTHERS + """
    for start, n, memory in mappings:
        if start == address:
            return sorted(o for o, _, k in mappings if k == memory and o != start)
    return []"""),
        wrong("one", "There may be more than one alias", OTHERS + """
    for start, n, memory in mappings:
        if start <= address < start + n:
            for o, _, k in mappings:
                if k == memory and o != start:
                    return [o + address - start]
    return []"""),
        wrong("unsorted", "in another order", OTHERS + """
    for start, n, memory in mappings:
        if start <= address < start + n:
            return [o + address - start for o, _, k in mappings if k == memory and o != start]
    return []"""),
        wrong("a set", "has no order", OTHERS + """
    return {o + address - s for s, n, m in mappings if s <= address < s + n for o, _, k in mappings if k == m and o != s}"""),
        wrong("None for none", "a list without elements", OTHERS + """
    for start, n, memory in mappings:
        if start <= address < start + n:
            return sorted(o + address - start for o, _, k in mappings if k == memory and o != start)"""),
        wrong("a number for one", "a list is wanted", OTHERS + """
    found = sorted(o + address - s for s, n, m in mappings if s <= address < s + n
                   for o, _, k in mappings if k == m and o != s)
    return found[0] if len(found) == 1 else found"""),
        wrong("the distances", "how far into the memory", OTHERS + """
    for start, n, memory in mappings:
        if start <= address < start + n:
            return sorted(address - start for o, _, k in mappings if k == memory and o != start)
    return []"""),
        wrong("the whole address added", "You add the whole address", OTHERS + """
    for start, n, memory in mappings:
        if start <= address < start + n:
            return sorted(o + address for o, _, k in mappings if k == memory and o != start)
    return []"""),
        wrong("no end", "look at `nbytes` too", OTHERS + """
    for start, n, memory in mappings:
        if start <= address:
            return sorted(o + address - start for o, _, k in mappings if k == memory and o != start)
    return []"""),
        wrong("the start left out", "The first address of a mapping", OTHERS + """
    for start, n, memory in mappings:
        if start < address < start + n:
            return sorted(o + address - start for o, _, k in mappings if k == memory and o != start)
    return []"""),
        wrong("return in the loop", "", OTHERS + """
    for start, n, memory in mappings:
        if start <= address < start + n:
            return sorted(o + address - start for o, _, k in mappings if k == memory and o != start)
        return []
    return []"""),
        wrong("the memory's name", "", OTHERS + """
    return [m for s, n, m in mappings if s <= address < s + n]"""),
    ),
    "map-twice": (
        right("a list", TWICE + """
    found = []
    for _ in range(2):
        found.append(reservation.reserve(memory.nbytes).map(memory))
        found[-1].set_access("readwrite")
    return found"""),
        right("a comprehension", TWICE + """
    both = [reservation.reserve(memory.nbytes).map(memory) for _ in "ab"]
    [mapping.set_access("readwrite") for mapping in both]
    return tuple(both)"""),
        right("one range of addresses, twice as long", TWICE + """
    addresses = reservation.reserve(2 * memory.nbytes)
    first, second = addresses.map(memory), addresses.map(memory, offset=memory.nbytes)
    first.set_access("readwrite")
    second.set_access("readwrite")
    return first, second"""),
        right("more addresses than needed", TWICE + """
    one = reservation.reserve(memory.nbytes + reservation.granularity())
    two = reservation.reserve(memory.nbytes)
    a, b = one.map(memory), two.map(memory)
    a.set_access("readwrite"), b.set_access("readwrite")
    return b, a"""),
        wrong("access for the first", "the second mapping needs it too", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    a.set_access("readwrite")
    b = reservation.reserve(memory.nbytes).map(memory)
    return a, b"""),
        wrong("access for the second", "the first mapping needs it too", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    b = reservation.reserve(memory.nbytes).map(memory)
    b.set_access("readwrite")
    return a, b"""),
        wrong("no access", "both need it", TWICE + """
    return reservation.reserve(memory.nbytes).map(memory), reservation.reserve(memory.nbytes).map(memory)"""),
        wrong("access to read", "both need it", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    b = reservation.reserve(memory.nbytes).map(memory)
    a.set_access("read")
    b.set_access("read")
    return a, b"""),
        wrong("the second may be read only", "the second mapping needs it too", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    b = reservation.reserve(memory.nbytes).map(memory)
    a.set_access("readwrite")
    b.set_access("read")
    return a, b"""),
        wrong("two memories", "These are two memories", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    b = reservation.reserve(memory.nbytes).map(reservation.create(memory.nbytes))
    a.set_access("readwrite"), b.set_access("readwrite")
    return a, b"""),
        wrong("one mapping twice", "named twice", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    a.set_access("readwrite")
    return a, a"""),
        wrong("one range of addresses", "nothing else can be", TWICE + """
    where = reservation.reserve(memory.nbytes)
    a, b = where.map(memory), where.map(memory)
    a.set_access("readwrite"), b.set_access("readwrite")
    return a, b"""),
        wrong("one mapping", "You return one mapping", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    a.set_access("readwrite")
    return a"""),
        wrong("one mapping in a tuple", "", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    a.set_access("readwrite")
    return (a,)"""),
        wrong("addresses", "You return the addresses", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    b = reservation.reserve(memory.nbytes).map(memory)
    a.set_access("readwrite"), b.set_access("readwrite")
    return [a.start, b.start]"""),
        wrong("one granule of addresses", "the memory may be larger", TWICE + """
    n = reservation.granularity()
    a, b = reservation.reserve(n).map(memory), reservation.reserve(n).map(memory)
    a.set_access("readwrite"), b.set_access("readwrite")
    return a, b"""),
        wrong("not mapped", "nothing is mapped there", TWICE + """
    a, b = reservation.reserve(memory.nbytes), reservation.reserve(memory.nbytes)
    a.set_access("readwrite"), b.set_access("readwrite")
    return a, b"""),
        wrong("what set_access gives", "", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory).set_access("readwrite")
    b = reservation.reserve(memory.nbytes).map(memory).set_access("readwrite")
    return a, b"""),
        wrong("nothing", "returns None", TWICE + """
    a = reservation.reserve(memory.nbytes).map(memory)
    b = reservation.reserve(memory.nbytes).map(memory)
    a.set_access("readwrite"), b.set_access("readwrite")"""),
        wrong("too few bytes", "raises", TWICE + """
    a, b = reservation.reserve(1024).map(memory), reservation.reserve(1024).map(memory)
    a.set_access("readwrite"), b.set_access("readwrite")
    return a, b"""),
    ),
}
