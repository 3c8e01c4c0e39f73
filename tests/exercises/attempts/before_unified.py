"""Attempts at the exercises of "Before unified addressing"."""
from . import right, wrong

DEVICE = "def to_device(book, host_address):\n"


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
        wrong("printed", "which is right, and returns nothing", head + f"""
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
HOST = "def to_host(book, device_address):\n"

ATTEMPTS = {
    "to-device": (
        *ways(DEVICE, 0, 1),
        wrong("CUDA is asked", "no `return` with a value", BACK + DEVICE + """
    status, device = cu.cuMemHostGetDevicePointer(host_address, 0)
    return int(device) if int(status) == 0 else None"""),
        wrong("the other side searched", "among the device addresses", DEVICE + """
    for h, d, n in book:
        if d <= host_address < d + n:
            return h + host_address - d"""),
        wrong("the forward call's word", "", DEVICE + "    return book[host_address]"),
        right("next over a generator with range membership", DEVICE + """
    return next((d + host_address - h for h, d, n in book if host_address in range(h, h + n)), None)"""),
        right("distance first", DEVICE + """
    for block in book:
        distance = host_address - block[0]
        if distance >= 0 and distance < block[2]:
            return block[1] + distance"""),
        wrong("distance subtracted with the wrong sign", "the wrong sign", DEVICE + """
    for h, d, n in book:
        if h <= host_address < h + n:
            return d - (host_address - h)"""),
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
        right("swaps the book and does the forward walk", HOST + """
    swapped = [(d, h, n) for h, d, n in book]
    for a, b, n in swapped:
        if 0 <= device_address - a < n:
            return b + device_address - a
    return None"""),
        wrong("the starts exchanged", "starts are exchanged", HOST + """
    for h, d, n in book:
        if d <= device_address < d + n:
            return d + device_address - h"""),
        wrong("the first block's distance for all", "first block's two addresses", HOST + """
    shift = book[0][1] - book[0][0]
    for h, d, n in book:
        if d <= device_address < d + n:
            return device_address - shift"""),
    ),
}
