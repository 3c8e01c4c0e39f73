"""Attempts at the exercises of lesson 03."""
from . import change, right, wrong

DEVICE = "def to_device(book, host_address):\n"
HOST = "def to_host(book, device_address):\n"
ALL = "def all_hosts(book, device_address):\n"
FASTER = "def faster(nbytes, reads, link, memory):\n"


def ways(head, given, wanted):
    """Attempts that make sense in both directions. `given` and `wanted`: places in an entry of the book."""
    name = ("host_address", "device_address")[given]
    other = ("host", "device")[wanted]
    return (
        right("indices", head + f"""
    for entry in book:
        if 0 <= {name} - entry[{given}] < entry[2]:
            return entry[{wanted}] + {name} - entry[{given}]
    return None"""),
        right("a range", head + f"""
    for e in book:
        if {name} in range(e[{given}], e[{given}] + e[2]):
            return e[{wanted}] + range(e[{given}], e[{given}] + e[2]).index({name})"""),
        right("next", head + f"""
    return next((e[{wanted}] - e[{given}] + {name} for e in book if e[{given}] <= {name} <= e[{given}] + e[2] - 1), None)"""),
        right("an array of NumPy", "import numpy as np\n" + head + f"""
    if not book:
        return None
    table = np.array(book)
    found = table[(table[:, {given}] <= {name}) & ({name} < table[:, {given}] + table[:, 2])]
    return found[0, {wanted}] + {name} - found[0, {given}] if len(found) else None"""),
        wrong("the address itself", f"luck of unified addressing; the book has the {other} side", head + f"    return {name}"),
        wrong("the address itself, if it is in a block", "luck of unified addressing", head + f"""
    for e in book:
        if e[{given}] <= {name} < e[{given}] + e[2]:
            return {name}"""),
        wrong("<=", "compare with `<`", head + f"""
    for e in book:
        if e[{given}] <= {name} <= e[{given}] + e[2]:
            return e[{wanted}] + {name} - e[{given}]
    return None"""),
        wrong("between", "The first address of a block belongs to it", head + f"""
    for e in book:
        if e[{given}] < {name} < e[{given}] + e[2]:
            return e[{wanted}] + {name} - e[{given}]"""),
        wrong("a dict of starts", "Only the start of a block is found", head + f"""
    return {{e[{given}]: e[{wanted}] for e in book}}.get({name})"""),
        wrong("a dict of starts, by index", "", head + f"""
    return {{e[{given}]: e[{wanted}] for e in book}}[{name}]"""),
        wrong("the start of the block", "add how far into the block", head + f"""
    for e in book:
        if e[{given}] <= {name} < e[{given}] + e[2]:
            return e[{wanted}]"""),
        wrong("no end", "look at `nbytes` too", head + f"""
    for e in book:
        if {name} >= e[{given}]:
            return e[{wanted}] + {name} - e[{given}]"""),
        wrong("no start", "compare it with the start", head + f"""
    for e in book:
        if {name} < e[{given}] + e[2]:
            return e[{wanted}] + {name} - e[{given}]"""),
        wrong("the whole address added", "You add the whole", head + f"""
    for e in book:
        if e[{given}] <= {name} < e[{given}] + e[2]:
            return e[{wanted}] + {name}"""),
        wrong("the distance alone", "You return how far", head + f"""
    for e in book:
        if e[{given}] <= {name} < e[{given}] + e[2]:
            return {name} - e[{given}]"""),
        wrong("the first block only", "You give up after the first block", head + f"""
    for e in book:
        if e[{given}] <= {name} < e[{given}] + e[2]:
            return e[{wanted}] + {name} - e[{given}]
        return None"""),
        wrong("0 for none", "For no block, return `None`", head + f"""
    for e in book:
        if e[{given}] <= {name} < e[{given}] + e[2]:
            return e[{wanted}] + {name} - e[{given}]
    return 0"""),
        wrong("a text for none", "return `None`", head + f"""
    for e in book:
        if e[{given}] <= {name} < e[{given}] + e[2]:
            return e[{wanted}] + {name} - e[{given}]
    return 'not found'"""),
        wrong("a list", "in a list of its own", head + f"""
    for e in book:
        if e[{given}] <= {name} < e[{given}] + e[2]:
            return [e[{wanted}] + {name} - e[{given}]]"""),
        wrong("printed", "returns None every time", head + f"""
    for e in book:
        if e[{given}] <= {name} < e[{given}] + e[2]:
            print(e[{wanted}] + {name} - e[{given}])"""),
        wrong("an exception for none", "return `None`", head + f"""
    for e in book:
        if e[{given}] <= {name} < e[{given}] + e[2]:
            return e[{wanted}] + {name} - e[{given}]
    raise KeyError({name})"""),
    )


BACK = "from cuda.bindings import driver as cu\n"
ATTEMPTS = {
    "to-device": (
        *ways(DEVICE, 0, 1),
        wrong("CUDA is asked", "returns None every time", BACK + DEVICE + """
    status, device = cu.cuMemHostGetDevicePointer(host_address, 0)
    return int(device) if int(status) == 0 else None"""),
        wrong("the other side searched", "among the device addresses", DEVICE + """
    for h, d, n in book:
        if d <= host_address < d + n:
            return h + host_address - d"""),
        wrong("the forward call's word", "", DEVICE + "    return book[host_address]"),
    ),
    "to-host": (
        *ways(HOST, 1, 0),
        wrong("forward again", "This is `to_device` again", HOST + """
    for h, d, n in book:
        if h <= device_address < h + n:
            return d + device_address - h"""),
        wrong("a helper called as it is", "This is `to_device` again", """
def back(book, address):
    for h, d, n in book:
        if h <= address < h + n:
            return d + address - h
def to_host(book, device_address):
    return back(book, device_address)"""),
        right("the book turned round", """
def to_device(book, a):
    return next((d + a - h for h, d, n in book if 0 <= a - h < n), None)
def to_host(book, device_address):
    return to_device([(d, h, n) for h, d, n in book], device_address)"""),
        wrong("looks among host addresses, computes right", "among the host addresses", HOST + """
    for h, d, n in book:
        if h <= device_address < h + n:
            return h + (device_address - d)"""),
        wrong("a name that there is not", "NameError", HOST + "    return back(device_address)"),
    ),
    "all-hosts": (
        right("two loops", ALL + """
    found = []
    for page, host, device, n in book:
        if device <= device_address < device + n:
            for other in book:
                if other[0] == page:
                    found.append(other[1] + device_address - device)
            break
    found.sort()
    return found"""),
        right("in two steps", ALL + """
    hit = [(p, device_address - d) for p, h, d, n in book if 0 <= device_address - d < n]
    if not hit:
        return []
    [(page, offset)] = hit
    return sorted(h + offset for p, h, d, n in book if p == page)"""),
        right("one comprehension", ALL + """
    return sorted(h2 + device_address - d for p, h, d, n in book if d <= device_address < d + n
                  for q, h2, _, _ in book if q == p)"""),
        right("a tuple", ALL + """
    return tuple(sorted(h2 + device_address - d for p, h, d, n in book if d <= device_address < d + n
                        for q, h2, _, _ in book if q == p))"""),
        wrong("unsorted", "in another order", ALL + """
    return [h2 + device_address - d for p, h, d, n in book if d <= device_address < d + n
            for q, h2, _, _ in book if q == p]"""),
        wrong("a set", "has no order", ALL + """
    return {h2 + device_address - d for p, h, d, n in book if d <= device_address < d + n
            for q, h2, _, _ in book if q == p}"""),
        wrong("sort returns None", "A list's own `sort`", ALL + """
    found = [h2 + device_address - d for p, h, d, n in book if d <= device_address < d + n
             for q, h2, _, _ in book if q == p]
    return found.sort()"""),
        wrong("this view alone", "Other views of the page", ALL + """
    for page, h, d, n in book:
        if d <= device_address < d + n:
            return [h + device_address - d]
    return []"""),
        wrong("this view alone, as a number", "Other views of the page", ALL + """
    for page, h, d, n in book:
        if d <= device_address < d + n:
            return h + device_address - d
    return []"""),
        wrong("the others alone", "You leave out the view", ALL + """
    for page, h, d, n in book:
        if d <= device_address < d + n:
            return sorted(x + device_address - d for q, x, e, m in book if q == page and e != d)
    return []"""),
        wrong("every page", "host addresses of every page", ALL + """
    for page, h, d, n in book:
        if d <= device_address < d + n:
            return sorted(x + device_address - d for q, x, e, m in book)
    return []"""),
        wrong("starts", "where the views begin", ALL + """
    for page, h, d, n in book:
        if d <= device_address < d + n:
            return sorted(x for q, x, e, m in book if q == page)
    return []"""),
        wrong("device addresses", "These are the device addresses", ALL + """
    for page, h, d, n in book:
        if d <= device_address < d + n:
            return sorted(e + device_address - d for q, x, e, m in book if q == page)
    return []"""),
        wrong("each view's own distance", "", ALL + """
    for page, h, d, n in book:
        if d <= device_address < d + n:
            return sorted(x + device_address - e for q, x, e, m in book if q == page)
    return []"""),
        wrong("<=", "compare with `<`", change("< device_start", "<= device_start")),
        wrong("None for none", "a list without elements", ALL + """
    for page, h, d, n in book:
        if d <= device_address < d + n:
            return sorted(x + device_address - d for q, x, e, m in book if q == page)"""),
        wrong("starts only are found", "Only the start of a view", ALL + """
    for page, h, d, n in book:
        if d == device_address:
            return sorted(x for q, x, e, m in book if q == page)
    return []"""),
        wrong("the host's addresses searched", "among the host addresses", ALL + """
    for page, h, d, n in book:
        if h <= device_address < h + n:
            return sorted(x + device_address - h for q, x, e, m in book if q == page)
    return []"""),
        wrong("names of pages too", "", ALL + """
    for page, h, d, n in book:
        if d <= device_address < d + n:
            return sorted((q, x + device_address - d) for q, x, e, m in book if q == page)
    return []"""),
        wrong("nested", "take away one pair", ALL + """
    return [sorted(h2 + device_address - d for p, h, d, n in book if d <= device_address < d + n
                   for q, h2, _, _ in book if q == p)]"""),
    ),
    "copy-or-zero-copy": (
        right("times for one byte", FASTER + """
    return "copy" if 1 / link["copy"] + reads / memory < reads / link["kernel"] else "zero-copy\""""),
        right("min over a dict", FASTER + """
    times = {"copy": nbytes / link["copy"] + nbytes * reads / memory, "zero-copy": nbytes * reads / link["kernel"]}
    return min(times, key=times.get)"""),
        right("an if", FASTER + """
    in_place = reads * (nbytes / link["kernel"])
    first = nbytes / link["copy"]
    for _ in range(reads):
        first += nbytes / memory
    if in_place <= first:
        return "zero-copy"
    else:
        return "copy\""""),
        wrong("reads passed over", "does not depend on `reads`", FASTER + """
    copied = nbytes / link["copy"] + nbytes / memory
    return "copy" if copied < nbytes / link["kernel"] else "zero-copy\""""),
        wrong("reads passed over, and device memory", "does not depend on `reads`", FASTER + """
    return "copy" if nbytes / link["copy"] < nbytes / link["kernel"] else "zero-copy\""""),
        wrong("rates", "does not depend on `reads`", FASTER + """
    return "copy" if link["copy"] > link["kernel"] else "zero-copy\""""),
        wrong("device memory forgotten", "still has to read", FASTER + """
    copied = nbytes / link["copy"]
    in_place = reads * nbytes / link["kernel"]
    return "copy" if copied < in_place else "zero-copy\""""),
        wrong("device memory read once", "as often as it would", FASTER + """
    copied = nbytes / link["copy"] + nbytes / memory
    in_place = reads * nbytes / link["kernel"]
    return "copy" if copied < in_place else "zero-copy\""""),
        wrong("in place once", "crosses the link anew", FASTER + """
    copied = nbytes / link["copy"] + reads * nbytes / memory
    return "copy" if copied < nbytes / link["kernel"] else "zero-copy\""""),
        wrong("copied each time", "does not depend on `reads`", FASTER + """
    copied = reads * (nbytes / link["copy"] + nbytes / memory)
    in_place = reads * nbytes / link["kernel"]
    return "copy" if copied < in_place else "zero-copy\""""),
        wrong("turned round", "You return the slower one", FASTER + """
    copied = nbytes / link["copy"] + reads * nbytes / memory
    in_place = reads * nbytes / link["kernel"]
    return "zero-copy" if copied < in_place else "copy\""""),
        wrong("multiplied", "", FASTER + """
    copied = nbytes * link["copy"] + reads * nbytes * memory
    return "copy" if copied < reads * nbytes * link["kernel"] else "zero-copy\""""),
        wrong("always copy", "the same every time", FASTER + "    return 'copy'"),
        wrong("copy from two reads on", "", FASTER + "    return 'copy' if reads >= 2 else 'zero-copy'"),
        wrong("another spelling", "letter by letter", FASTER + """
    copied = nbytes / link["copy"] + reads * nbytes / memory
    return "copy" if copied < reads * nbytes / link["kernel"] else "zero_copy\""""),
        wrong("another word", "none of the words", FASTER + """
    copied = nbytes / link["copy"] + reads * nbytes / memory
    return "copy" if copied < reads * nbytes / link["kernel"] else "in place\""""),
        wrong("True and False", "a text", FASTER + """
    return nbytes / link["copy"] + reads * nbytes / memory < reads * nbytes / link["kernel"]"""),
        wrong("the rates of the link exchanged", "", change('link["copy"]', "A", 'link["kernel"]', 'link["copy"]', "A", 'link["kernel"]')),
        wrong("attributes", "raises TypeError", FASTER + """
    return "copy" if nbytes / link.copy + reads * nbytes / memory < reads * nbytes / link.kernel else "zero-copy\""""),
        wrong("the time", "a text", FASTER + "    return nbytes / link['copy'] + reads * nbytes / memory"),
    ),
}
