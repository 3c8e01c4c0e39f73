"""Attempts at the exercises of "Before unified addressing"."""
from . import change, right, wrong

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
ALL = "import numpy as np\nimport pycuda.driver as cuda\ndef all_hosts(views, device_address):\n"

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
    "all-hosts": (
        right("by HOST_POINTER, and the host's own writing", ALL + """
    from cuda.bindings import driver as cu
    error, host = cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER, device_address)
    if error:
        return []
    own = next(view for view in views if view.ctypes.data <= int(host) < view.ctypes.data + len(view))
    at = int(host) - own.ctypes.data
    before = [int(view[at]) for view in views]
    own[at] ^= 255
    found = [view.ctypes.data + at for view, was in zip(views, before) if view[at] != was]
    own[at] ^= 255
    return sorted(found)"""),
        right("two numbers in turn", ALL + """
    old = int(cuda.from_device(device_address, 1, np.uint8)[0])
    seen = []
    for number in 17, 18:
        cuda.memset_d8(device_address, number, 1)
        cuda.Context.synchronize()
        seen.append([{view.ctypes.data + int(i) for i in np.flatnonzero(view == number)} for view in views])
    cuda.memset_d8(device_address, old, 1)
    cuda.Context.synchronize()
    return sorted(set().union(*seen[0]) & set().union(*seen[1]))"""),
        right("a copy in the place of memset", ALL + """
    before = [view.copy() for view in views]
    old = cuda.from_device(device_address, 1, np.uint8)
    cuda.memcpy_htod(device_address, ~old)
    found = [view.ctypes.data + place for view, was in zip(views, before) for place in map(int, np.flatnonzero(view != was))]
    cuda.memcpy_htod(device_address, old)
    return sorted(found)"""),
        right("one more, up to 255", ALL + """
    before = [view.copy() for view in views]
    old = int(cuda.from_device(device_address, 1, np.uint8)[0])
    cuda.memset_d8(device_address, (old + 1) % 256, 1)
    cuda.Context.synchronize()
    found = []
    for i in range(len(views)):
        for at in np.nonzero(views[i] != before[i])[0]:
            found.append(views[i].ctypes.data + int(at))
    cuda.memset_d8(device_address, old, 1)
    cuda.Context.synchronize()
    found.sort()
    return found"""),
        right("by a kernel", "from course_lib import kernels\n" + ALL + """
    flip = kernels.compile("__global__ void flip(unsigned char *byte) { *byte = ~*byte; }").flip
    before = [bytes(view) for view in views]
    flip(1, 1, device_address)
    cuda.Context.synchronize()
    found = [view.ctypes.data + at for view, was in zip(views, before) for at in range(len(view)) if view[at] != was[at]]
    flip(1, 1, device_address)
    cuda.Context.synchronize()
    return sorted(found)"""),
        right("numbers of NumPy", change("int(np.argmax(view != was))", "np.argmax(view != was)")),
        wrong("put back as 0", "write back what was there", change("device_address, old, 1)", "device_address, 0, 1)")),
        wrong("always 77", "", change("old ^ 255", "77")),
        wrong("one more, without end", "", change("old ^ 255", "old + 1")),
        wrong("HOST_POINTER", "of this view alone", ALL + """
    from cuda.bindings import driver as cu
    error, host = cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER, device_address)
    return [int(host)] if not error else []"""),
        wrong("the same number", "of this view alone", ALL + """
    return [device_address for view in views if 0 <= device_address - view.ctypes.data < len(view)]"""),
        wrong("the device's number always", "", ALL + "    return [device_address]"),
        wrong("those that did not change", "", change("if (view != was).any()", "if not (view != was).any()")),
        wrong("who holds the number", "what it held *before*", ALL + """
    old = int(cuda.from_device(device_address, 1, np.uint8)[0])
    cuda.memset_d8(device_address, old ^ 255, 1)
    cuda.Context.synchronize()
    at = device_address % 4096
    found = [view.ctypes.data + at for view in views if view[at] == old ^ 255]
    cuda.memset_d8(device_address, old, 1)
    cuda.Context.synchronize()
    return sorted(found)"""),
        wrong("who holds the same number now", "", ALL + """
    old, at = cuda.from_device(device_address, 1, np.uint8)[0], device_address % 4096
    return sorted(view.ctypes.data + at for view in views if view[at] == old)"""),
        wrong("in the order of the views", "in another order", change("sorted(found)", "found")),
        wrong("the other way round", "in another order", change("sorted(found)", "sorted(found, reverse=True)")),
        wrong("the others", "You leave out the view", change("if (view != was).any()",
                                                             "if (view != was).any() and not 0 <= device_address - view.ctypes.data < 4096")),
        wrong("a set", "has no order", change("sorted(found)", "set(found)")),
        wrong("how many", "", change("sorted(found)", "len(found)")),
        wrong("the views", "", change("view.ctypes.data + int(np.argmax(view != was)) for", "view[:1] for").__class__((
            ("view.ctypes.data + int(np.argmax(view != was)) for", "view[:1] for"), ("sorted(found)", "found")))),
        wrong("nothing", "no `return` with a value", change("return sorted(found)", "found.sort()")),
        wrong("empty", "", ALL + "    return []"),
        right("tells the change by the one byte at the offset found, two probes", ALL + """
    was = [v.tobytes() for v in views]
    old = int(cuda.from_device(device_address, 1, np.uint8)[0])
    new = (old + 1) % 256
    cuda.memset_d8(device_address, new, 1)
    cuda.Context.synchronize()
    now = [v.tobytes() for v in views]
    cuda.memset_d8(device_address, old, 1)
    cuda.Context.synchronize()
    out = []
    for v, a, b in zip(views, was, now):
        for i in range(len(a)):
            if a[i] != b[i]:
                out.append(v.ctypes.data + i)
    return sorted(out)"""),
        wrong("compares content", "may be two pages", ALL + """
    for v in views:
        if v.ctypes.data <= device_address < v.ctypes.data + 4096:
            offset = device_address - v.ctypes.data
            return sorted(w.ctypes.data + offset for w in views if (w == v).all())
    return []"""),
    ),
}
