"""Attempts at the exercises of "Mapped memory"."""
from . import change, right, wrong

DRIVER = "from cuda.bindings import driver as cu\nA = cu.CUpointer_attribute\n"
EDGES = DRIVER + "def edges(address):\n"
ASKED = DRIVER + "def there(address):\n    return cu.cuMemHostGetDevicePointer(address, 0)[0] == 0\n\ndef edges(address):\n"
FASTER = "def faster(nbytes, reads, link, memory):\n"


def stepping(step):
    """Down and up by `step` bytes at a time."""
    return ASKED + f"""
    first = last = address
    while there(first - {step}): first -= {step}
    while there(last + {step}): last += {step}
    return first, last"""


ATTEMPTS = {
    "edges": (
        wrong("every byte for a mile around", "stop at the first byte that is refused", ASKED + """
    known = [one for one in range(address - (1 << 20), address + (1 << 20)) if there(one)]
    return min(known), max(known)"""),
        wrong("how far the edges are", "distances or lengths", change("return first, last", "return first - address, last - address")),
        wrong("on while it fails", "You get no step away", change("[0] ==", "[0] !=")),
        right("a function that asks", ASKED + """
    first, last = address, address
    while there(first - 1):
        first = first - 1
    while there(last + 1):
        last = last + 1
    return first, last"""),
        right("one too far and back", ASKED + """
    first = last = address
    while there(first):
        first -= 1
    while there(last):
        last += 1
    return first + 1, last - 1"""),
        right("a list", ASKED + """
    first = last = address
    while there(first - 1): first -= 1
    while there(last + 1): last += 1
    return [first, last]"""),
        right("the range's attributes", DRIVER + """
A = cu.CUpointer_attribute
def edges(address):
    start = int(cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address)[1])
    return start, start + int(cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_RANGE_SIZE, address)[1]) - 1"""),
        right("itertools", "import itertools\n" + ASKED + """
    *_, first = itertools.takewhile(there, itertools.count(address, -1))
    *_, last = itertools.takewhile(there, itertools.count(address))
    return first, last"""),
        right("next", "import itertools\n" + ASKED + """
    return (next(n for n in itertools.count(address, -1) if not there(n - 1)),
            next(n for n in itertools.count(address) if not there(n + 1)))"""),
        right("while True", ASKED + """
    first = address
    while True:
        if not there(first - 1):
            break
        first -= 1
    last = address
    while True:
        if there(last + 1):
            last += 1
        else:
            return (first, last)"""),
        right("a for with a break", ASKED + """
    for first in range(address, address - 10000, -1):
        if not there(first - 1):
            break
    for last in range(address, address + 10000):
        if not there(last + 1):
            break
    return first, last"""),
        right("NumPy's integers", "import numpy as np\n" + ASKED + """
    first = last = address
    while there(first - 1): first -= 1
    while there(last + 1): last += 1
    return np.array([first, last])"""),
        right("RANGE_START_ADDR, by another call", EDGES + """
    start = int(cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address)[1])
    size = int(cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_RANGE_SIZE, address)[1])
    return start, start + size - 1"""),
        right("cuMemGetAddressRange", EDGES + """
    error, start, size = cu.cuMemGetAddressRange(address)
    return int(start), int(start) + int(size) - 1"""),
        right("BUFFER_ID", EDGES + """
    def of(where):
        return cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_BUFFER_ID, where)[1]
    first = last = address
    while of(first - 1) == of(address): first -= 1
    while of(last + 1) == of(address): last += 1
    return first, last"""),
        right("binary search within one buffer", EDGES + """
    def mine(where):
        return cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_BUFFER_ID, where)[1] == mine_id
    mine_id = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_BUFFER_ID, address)[1]
    ends = []
    for sign in (-1, 1):
        near, far = 0, 1 << 20
        while far - near > 1:
            middle = (near + far) // 2
            near, far = (middle, far) if mine(address + sign * middle) else (near, middle)
        ends.append(address + sign * near)
    return tuple(ends)"""),
        wrong("half open", "one past the end", ASKED + """
    first = last = address
    while there(first - 1): first -= 1
    while there(last): last += 1
    return first, last"""),
        wrong("the first address one too low", "one too low", ASKED + """
    first = last = address
    while there(first): first -= 1
    while there(last + 1): last += 1
    return first, last"""),
        wrong("both outside", "one byte outside", ASKED + """
    first = last = address
    while there(first): first -= 1
    while there(last): last += 1
    return first, last"""),
        wrong("only up", "go down as well", ASKED + """
    last = address
    while there(last + 1): last += 1
    return address, last"""),
        wrong("only down", "go up as well", ASKED + """
    first = address
    while there(first - 1): first -= 1
    return first, address"""),
        wrong("a length", "an address, not a length", ASKED + """
    first = last = address
    while there(first - 1): first -= 1
    while there(last + 1): last += 1
    return first, last - first + 1"""),
        wrong("the other order", "The first byte comes first", ASKED + """
    first = last = address
    while there(first - 1): first -= 1
    while there(last + 1): last += 1
    return last, first"""),
        wrong("steps of 4", "larger than a byte", stepping(4)),
        wrong("steps of 64", "larger than a byte", stepping(64)),
        wrong("steps of a page", "go by single bytes", stepping(4096)),
        wrong("doubled steps", "", ASKED + """
    down = up = 1
    while there(address - down): down *= 2
    while there(address + up): up *= 2
    return address - down // 2, address + up // 2"""),
        wrong("binary search over the neighbours", "", ASKED + """
    near, far = 0, 4096
    while far - near > 1:
        middle = (near + far) // 2
        near, far = (middle, far) if there(address - middle) else (near, middle)
    low, near, far = near, 0, 4096
    while far - near > 1:
        middle = (near + far) // 2
        near, far = (middle, far) if there(address + middle) else (near, middle)
    return address - low, address + near"""),
        wrong("at most 1000 bytes", "", ASKED + """
    found = [n for n in range(address - 1000, address + 1001) if there(n)]
    return found[0], found[-1]"""),
        wrong("the whole page", "", EDGES + "    return address // 4096 * 4096, address // 4096 * 4096 + 4095"),
        wrong("distances", "", ASKED + """
    down = up = 0
    while there(address - down - 1): down += 1
    while there(address + up + 1): up += 1
    return down, up"""),
        wrong("the address twice", "no step away", EDGES + "    return address, address"),
        wrong("the whole answer compared", "the whole tuple", EDGES + """
    first = last = address
    while cu.cuMemHostGetDevicePointer(first - 1, 0) == cu.CUresult.CUDA_SUCCESS: first -= 1
    while cu.cuMemHostGetDevicePointer(last + 1, 0) == cu.CUresult.CUDA_SUCCESS: last += 1
    return first, last"""),
        wrong("start and end of the range", "one past the end", EDGES + """
    error, start, size = cu.cuMemGetAddressRange(address)
    return int(start), int(start) + size"""),
        wrong("start and size of the range", "an address, not a length", EDGES + """
    error, start, size = cu.cuMemGetAddressRange(address)
    return int(start), int(size)"""),
        wrong("a generator", "read only once", ASKED + """
    first = last = address
    while there(first - 1): first -= 1
    while there(last + 1): last += 1
    return (n for n in (first, last))"""),
        wrong("no return", "no `return` with a value", ASKED + """
    first = last = address
    while there(first - 1): first -= 1
    while there(last + 1): last += 1
    print(first, last)"""),
        wrong("one number", "", ASKED + """
    last = address
    while there(last + 1): last += 1
    return last"""),
        wrong("recursion", "raises", ASKED + """
    def down(n): return down(n - 1) if there(n - 1) else n
    def up(n): return up(n + 1) if there(n + 1) else n
    return down(address), up(address)"""),
        right("one loop function with a step", EDGES + """
    def walk(a, step):
        while cu.cuMemHostGetDevicePointer(a + step, 0)[0] == cu.CUresult.CUDA_SUCCESS:
            a += step
        return a
    return walk(address, -1), walk(address, 1)"""),
        right("next over itertools.count", """
from cuda.bindings import driver as cu

from itertools import count
def edges(address):
    ok = lambda a: not cu.cuMemHostGetDevicePointer(a, 0)[0]
    first = next(a for a in count(address, -1) if not ok(a)) + 1
    last = next(a for a in count(address) if not ok(a)) - 1
    return first, last"""),
        wrong("steps of 512", "over the gap", EDGES + """
    ok = lambda a: cu.cuMemHostGetDevicePointer(a, 0)[0] == cu.CUresult.CUDA_SUCCESS
    first = last = address
    for step in (4096, 512, 64, 8, 1):
        while ok(first - step):
            first -= step
        while ok(last + step):
            last += step
    return first, last"""),
        wrong("aligned to the page", "no rounding", EDGES + """
    first = address // 4096 * 4096
    last = address
    while cu.cuMemHostGetDevicePointer(last + 1, 0)[0] == cu.CUresult.CUDA_SUCCESS:
        last += 1
    return first, last"""),
    ),
    "copy-or-zero-copy": (
        right("times for one byte", FASTER + """
    return "copy" if link["start"] / nbytes + 1 / link["copy"] + reads / memory < reads / link["kernel"] else "zero-copy\""""),
        right("min over a dict", FASTER + """
    times = {"copy": link["start"] + nbytes / link["copy"] + nbytes * reads / memory, "zero-copy": nbytes * reads / link["kernel"]}
    return min(times, key=times.get)"""),
        right("an if", FASTER + """
    in_place = reads * (nbytes / link["kernel"])
    first = link["start"] + nbytes / link["copy"]
    for _ in range(reads):
        first += nbytes / memory
    if in_place <= first:
        return "zero-copy"
    else:
        return "copy\""""),
        wrong("reads passed over", "however often the kernel reads", FASTER + """
    copied = link["start"] + nbytes / link["copy"] + nbytes / memory
    return "copy" if copied < nbytes / link["kernel"] else "zero-copy\""""),
        wrong("reads passed over, and device memory", "however often the kernel reads", FASTER + """
    return "copy" if link["start"] + nbytes / link["copy"] < nbytes / link["kernel"] else "zero-copy\""""),
        wrong("in place once", "crosses the link anew", FASTER + """
    copied = link["start"] + nbytes / link["copy"] + reads * nbytes / memory
    return "copy" if copied < nbytes / link["kernel"] else "zero-copy\""""),
        wrong("copied each time", "however often the kernel reads", FASTER + """
    copied = link["start"] + reads * (nbytes / link["copy"] + nbytes / memory)
    in_place = reads * nbytes / link["kernel"]
    return "copy" if copied < in_place else "zero-copy\""""),
        wrong("turned round", "You return the slower one", FASTER + """
    copied = link["start"] + nbytes / link["copy"] + reads * nbytes / memory
    in_place = reads * nbytes / link["kernel"]
    return "zero-copy" if copied < in_place else "copy\""""),
        wrong("multiplied", "", FASTER + """
    copied = link["start"] + nbytes * link["copy"] + reads * nbytes * memory
    return "copy" if copied < reads * nbytes * link["kernel"] else "zero-copy\""""),
        wrong("always copy", "the same every time", FASTER + "    return 'copy'"),
        wrong("copy from two reads on", "", FASTER + "    return 'copy' if reads >= 2 else 'zero-copy'"),
        wrong("another spelling", "letter by letter", FASTER + """
    copied = link["start"] + nbytes / link["copy"] + reads * nbytes / memory
    return "copy" if copied < reads * nbytes / link["kernel"] else "zero_copy\""""),
        wrong("another word", "not one of the words", FASTER + """
    copied = link["start"] + nbytes / link["copy"] + reads * nbytes / memory
    return "copy" if copied < reads * nbytes / link["kernel"] else "in place\""""),
        wrong("True and False", "a text", FASTER + """
    return link["start"] + nbytes / link["copy"] + reads * nbytes / memory < reads * nbytes / link["kernel"]"""),
        wrong("attributes", "raises AttributeError", FASTER + """
    return "copy" if link.start + nbytes / link.copy + reads * nbytes / memory < reads * nbytes / link.kernel else "zero-copy\""""),
        wrong("the time", "a text", FASTER + "    return link['start'] + nbytes / link['copy'] + reads * nbytes / memory"),
        right("min over a dict, key first for ties", FASTER + """
    t = {"zero-copy": reads * nbytes / link["kernel"], "copy": link["start"] + nbytes / link["copy"] + reads * nbytes / memory}
    return min(t, key=t.get)"""),
        wrong("without nbytes", "for little data these decide", FASTER + """
    return "zero-copy" if reads / link["kernel"] < 1 / link["copy"] + reads / memory else "copy\""""),
        wrong("multiplies by rate", "you multiply", FASTER + """
    a = link["start"] + nbytes * link["copy"] + nbytes * reads * memory
    b = nbytes * reads * link["kernel"]
    return "copy" if a < b else "zero-copy\""""),
    ),
}
