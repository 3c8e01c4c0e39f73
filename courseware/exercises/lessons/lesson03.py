"""Lesson 03, Mapped memory: pairs of host and device addresses, and the address book that keeps them."""
from ..exercise import Case, Exercise, Mistake, slip
from . import asking, views_harness

BOOK = [(5000, 70000, 64), (1000, 20000, 16)]
OTHER = [(300, 4096, 100), (400, 9000, 8), (9000, 300, 50)]
TOUCHING = [(400, 500, 8), (408, 600, 8), (9000, 608, 30)]

TO_DEVICE = """
def to_device(book, host_address):
    for host_start, device_start, nbytes in book:
        if host_start <= host_address < host_start + nbytes:
            return device_start + (host_address - host_start)
"""

TO_HOST = """
def to_host(book, device_address):
    for host_start, device_start, nbytes in book:
        if device_start <= device_address < device_start + nbytes:
            return host_start + (device_address - device_start)
"""


def _mistakes(solution, given, wanted):
    """What goes wrong in both directions; `given` and `wanted` name the sides."""
    test = f"if {given}_start <= {given}_address < {given}_start + nbytes:"
    found = f"return {wanted}_start + ({given}_address - {given}_start)"
    head = solution.strip().splitlines()[0]
    given_place, wanted_place = (1, 0) if given == "device" else (0, 1)
    return (
        slip(solution, f"< {given}_start + nbytes", f"<= {given}_start + nbytes",
             "One past the end belongs to no block, or to the next one. A block of 16 bytes has the places 0 to 15: "
             "compare with `<`."),
        slip(solution, f"{given}_start <= {given}_address", f"{given}_start < {given}_address",
             "The first address of a block belongs to it: compare it with `<=`."),
        slip(solution, f"< {given}_start + nbytes", f"< {given}_start + nbytes - 1",
             "The last byte of a block belongs to it: a block of 16 bytes has the places 0 to 15."),
        slip(solution, f" + ({given}_address - {given}_start)", "",
             "Right for the start of a block only: add how far into the block the address is."),
        slip(solution, test, f"if {given}_address == {given}_start:",
             "Only the start of a block is found. Any address within it should be: ask whether it is between start and "
             "end.",
             f"{head}\n    return {{one[{given_place}]: one[{wanted_place}] for one in book}}"
             f".get({given}_address)"),
        slip(solution, found, f"return {given}_address",
             f"You return the {given} address itself. That the two are equal is luck of unified addressing; the book "
             f"has the {wanted} side.",
             f"{head}\n    return {given}_address"),
        slip(solution, test, f"if {given}_start <= {given}_address:",
             "An address beyond the end is taken for one of the block: look at `nbytes` too."),
        slip(solution, test, f"if {given}_address < {given}_start + nbytes:",
             "An address before the start is taken for one of the block: compare it with the start too."),
        slip(solution, f"({given}_address - {given}_start)", f"{given}_address",
             f"You add the whole {given} address. Add only its distance from the start of its block."),
        slip(solution, f"({given}_address - {given}_start)", f"({given}_start - {given}_address)",
             "The distance has the wrong sign: take the start away from the address.",
             solution.replace(f"+ ({given}_address - {given}_start)", f"- ({given}_address - {given}_start)")),
        slip(solution, found, f"return {given}_address - {given}_start",
             f"You return how far into the block the address is. Add that to where the block begins on the {wanted}."),
        slip(solution, found, f"return {given}_start + ({given}_address - {wanted}_start)",
             f"The two starts are exchanged: take the {given} start away from the address, and add what is left to the {wanted} "
             "start."),
        slip(solution, found, f"return {given}_address - book[0][{given_place}] + book[0][{wanted_place}]",
             "You take the first block's two addresses for every block. Each has a distance of its own between its two sides."),
        slip(solution, found, f"{found}\n        return None",
             "You give up after the first block: the `return None` belongs behind the loop.",
             solution.replace(found, f"{found}\n        else:\n            return None")),
        slip(solution, solution.strip().splitlines()[-1].strip(), f"{found}\n    return 0",
             "For no block, return `None`. Another value, such as 0, would be taken for an address.",
             solution.rstrip() + "\n    return -1", solution.rstrip() + "\n    return False",
             solution.rstrip() + f"\n    return {given}_address",
             solution.rstrip() + "\n    raise KeyError"),
    )


def _blocks(source):
    """Up to four blocks in no order, some of which touch, and whose numbers of one side are also those of the other."""
    sizes = [source.choice([8, 30, 50]) for _ in range(source.randint(1, 4))]
    places = source.sample(range(1, 9), 2 * len(sizes))
    book = [(places[2 * place] * 50, places[2 * place + 1] * 50, nbytes) for place, nbytes in enumerate(sizes)]
    start, other, nbytes = source.choice(book)
    into = source.choice([0, nbytes - 1, nbytes, -1, source.randrange(nbytes), source.randrange(nbytes)])
    return book, start, other, into


to_device = Exercise(
    id="to-device", lesson="03", title="The address book begins", name="to_device", minutes=5,
    statement="""
A program that needs the way from host to device addresses, or back, keeps a book of its blocks: for each the host
address, the device address and the number of bytes. Write `to_device(book, host_address)`: the device address of the
byte at any host address, interior ones included, or `None` where no block holds it. Two lines are enough, and no CUDA
call. The numbers are made up, so that nothing is equal by luck.

    book = [(5000, 70000, 64), (1000, 20000, 16)]
    to_device(book, 1000)       # 20000
    to_device(book, 5013)       # 70013
    to_device(book, 1016)       # None
""",
    starter="""
def to_device(book, host_address):
    '''The device address for host_address, or None where no block of the book holds it.'''
    for host_start, device_start, nbytes in book:
        ...             # about two lines
""",
    hints=("A block holds the addresses from `host_start` up to, but not including, `host_start + nbytes`.",
           "What the two views have in common is the distance from the start of the block."),
    solution=TO_DEVICE,
    mistakes=(*_mistakes(TO_DEVICE, "host", "device"),
              slip(TO_DEVICE, "host_start <= host_address < host_start + nbytes",
                   "device_start <= host_address < device_start + nbytes",
                   "You look for the host's address among the device addresses: compare it with `host_start`.",
                   TO_HOST.replace("to_host(book, device_address)", "to_device(book, host_address)")
                   .replace("device_address", "host_address"))),
    cases=(Case("the start of a block", (BOOK, 1000), 20000), Case("an address inside a block", (BOOK, 5013), 70013),
           Case("one past the end of a block", (BOOK, 1016), None),
           Case("the last byte of a block", (BOOK, 1015), 20015, True),
           Case("an address just before a block", (BOOK, 4999), None, True),
           Case("the end of one block where another begins", (TOUCHING, 408), 600, True),
           Case("a number that is also a device address", (OTHER, 9004), 304, True),
           Case("an address beyond every block", (OTHER, 12000), None, True),
           Case("an address before every block", (OTHER, 12), None, True),
           Case("an empty book", ([], 1000), None, True)),
    random_case=lambda source: (lambda book, host, device, into: (book, host + into))(*_blocks(source)))

to_host = Exercise(
    id="to-host", lesson="03", title="The way back", name="to_host", minutes=3,
    statement="""
The way back, where the two numbers differ: `to_host(book, device_address)` gives the host address of the byte at a
device address, or `None` where no block of the book holds it. The book is that of `to_device`: for each block the host
address, the device address and the number of bytes. Two lines are enough.

    book = [(5000, 70000, 64), (1000, 20000, 16)]
    to_host(book, 20015)        # 1015
    to_host(book, 1000)         # None: a host address is not a device address of this book
""",
    starter="""
def to_host(book, device_address):
    '''The host address for device_address, or None where no block of the book holds it.'''
    for host_start, device_start, nbytes in book:
        ...             # about two lines
""",
    hints=("It is `to_device` with the two sides exchanged.",
           "The test is about `device_start`, the result about `host_start`; the distance is the same."),
    solution=TO_HOST,
    mistakes=(*_mistakes(TO_HOST, "device", "host"),
              Mistake(TO_DEVICE.replace("to_device(book, host_address)", "to_host(book, host_address)"),
                      "This is `to_device` again: it looks among the host addresses. The address that comes in is the "
                      "device's."),
              slip(TO_HOST, "device_start <= device_address < device_start + nbytes",
                   "host_start <= device_address < host_start + nbytes",
                   "You look for the device's address among the host addresses: compare it with `device_start`.")),
    cases=(Case("the last byte of a block", (BOOK, 20015), 1015), Case("a host address", (BOOK, 1000), None),
           Case("the start of a block", (BOOK, 70000), 5000, True),
           Case("an address inside a block", (BOOK, 70044), 5044, True),
           Case("one past the end of a block", (BOOK, 70064), None, True),
           Case("an address just before a block", (BOOK, 19999), None, True),
           Case("the end of one block where another begins", (TOUCHING, 609), 9001, True),
           Case("a number that is also a host address", (OTHER, 320), 9020, True),
           Case("an address beyond every block", (OTHER, 99000), None, True),
           Case("an empty book", ([], 1000), None, True)),
    random_case=lambda source: (lambda book, host, device, into: (book, device + into))(*_blocks(source)))

IMPORTS = "import numpy as np\nimport pycuda.driver as cuda\n"
ALL_HOSTS = IMPORTS + """
def all_hosts(views, device_address):
    before = [view.copy() for view in views]
    old = int(cuda.from_device(device_address, 1, np.uint8)[0])
    cuda.memset_d8(device_address, old ^ 255, 1)
    cuda.Context.synchronize()
    found = [view.ctypes.data + int(np.argmax(view != was)) for view, was in zip(views, before) if (view != was).any()]
    cuda.memset_d8(device_address, old, 1)
    cuda.Context.synchronize()
    return sorted(found)
"""
FOUND = ("[view.ctypes.data + int(np.argmax(view != was)) for view, was in zip(views, before) if (view != was).any()]")
BACK = "    cuda.memset_d8(device_address, old, 1)\n    cuda.Context.synchronize()\n"


def _hosts(what, content, asked, byte, hidden=True, **views):
    return Case(what, (content, asked, byte, *views.values()), views_harness.expected(asked, byte, **views), hidden,
                f"all_hosts(views, device address of byte {byte} of "
                + ("device memory)" if asked is None else f"views[{asked}])"))


all_hosts = Exercise(
    id="all-hosts", lesson="03", title="One page, several host addresses", name="all_hosts", minutes=10, sandboxed=True,
    run=views_harness.all_hosts,
    statement="""
You have seen one page at two host addresses, each with a device address of its own. No call says which addresses show
one page, so find out by experiment. `views` is a list of registered arrays of 4096 `np.uint8`, in no order; some of them
show the same page. Write `all_hosts(views, device_address)`: every host address of the byte at a device address,
sorted; `[]` where no view shows it. Change the byte through its device address, look in which views it changed, and
put it back. Eight lines are enough; `cuda.memset_d8(address, number, 1)` writes one byte, and
`cuda.from_device(address, 1, np.uint8)` reads one.

    all_hosts(views, device address of byte 10 of views[0])     # the address of byte 10 of views[0], and of each other
                                                                # view of that page
""",
    starter=IMPORTS + """
def all_hosts(views, device_address):
    '''Every host address of the byte at device_address, sorted.'''
    before = [view.copy() for view in views]
    ...             # about seven lines
""",
    hints=("Write a number that is not there already: `old ^ 255` differs from `old`, whatever it is. "
           "`cuda.Context.synchronize()` waits until it is written.",
           "`(view != was).any()` asks whether a view has changed, `np.argmax(view != was)` where, and "
           "`view.ctypes.data` is "
           "the address of its first byte."),
    solution=ALL_HOSTS,
    mistakes=(
        slip(ALL_HOSTS, BACK, "",
             "The byte holds another number now, and it is somebody's data: write back what was there."),
        slip(ALL_HOSTS, "old ^ 255", "255",
             "You write a number that may be there already, and then nothing changes: take one that differs from the "
             "old "
             "one, such as `old ^ 255`.",
             ALL_HOSTS.replace("old ^ 255", "0"), ALL_HOSTS.replace("old ^ 255", "1")),
        Mistake(IMPORTS + "from cuda.bindings import driver as cu\n" + """
def all_hosts(views, device_address):
    attribute = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER
    error, host = cu.cuPointerGetAttribute(attribute, device_address)
    return [] if error else [int(host)]
""",
                "That is the host address of this view alone, as HOST_POINTER gives it. Other views of the page show the same byte, "
                "and no "
                "call tells them: change the byte, and look.",
                (IMPORTS + """
def all_hosts(views, device_address):
    return [device_address for view in views if 0 <= device_address - view.ctypes.data < 4096]
""",)),
        slip(ALL_HOSTS, "view.ctypes.data + int(np.argmax(view != was))", "view.ctypes.data",
             "You give where the views begin: add how far into the view the byte is."),
        slip(ALL_HOSTS, "view.ctypes.data + int(np.argmax(view != was))", "int(np.argmax(view != was))",
             "You give how far into the page the byte is. Add that to where each of the views begins."),
        slip(ALL_HOSTS, " if (view != was).any()]", "]",
             "You give addresses in every view: keep to those that have changed."),
        slip(ALL_HOSTS, f"found = {FOUND}",
             "found = [view.ctypes.data + device_address % 4096 for view in views if view[device_address % 4096] == "
             "old ^ 255]",
             "A view may hold that number without showing that byte. Compare each view with what it held *before*, "
             "`was`.",
             ALL_HOSTS.replace("view != was", "view == old ^ 255")),
        Mistake(IMPORTS + """
def all_hosts(views, device_address):
    for view in views:
        byte = device_address - view.ctypes.data
        if 0 <= byte < 4096:
            return sorted(other.ctypes.data + byte for other in views if (other == view).all())
    return []
""",
                "Two pages with the same numbers in them may be two pages. Change the byte, and look in which views it changes."),
        slip(ALL_HOSTS, "[view.copy() for view in views]", "list(views)",
             "No view differs from what you keep of it. Is that a copy, `view.copy()`? (The view itself changes with the byte.) Do you write "
             "another number than the old one, and look before you write that back?",
             ALL_HOSTS.replace("[view.copy() for view in views]", "[view for view in views]"),
             ALL_HOSTS.replace("[view.copy() for view in views]", "[view[:] for view in views]")),
        slip(ALL_HOSTS, "sorted(found)", "sorted(found)[:1]",
             "You give one address. Every view of the page shows the byte: return all of them.",
             ALL_HOSTS.replace("sorted(found)", "min(found, default=[])")),
        slip(ALL_HOSTS, "(view != was).any()]",
             "(view != was).any() and not view.ctypes.data <= device_address < view.ctypes.data + 4096]",
             "You leave out the view that was asked about. It shows the byte as well."),
    ),
    cases=(_hosts("a page with three views", None, 0, 10, False),
           _hosts("a page with two views", 0, 2, 4000, False),
           _hosts("the first byte of pages full of 255", 255, 3, 0),
           _hosts("the last byte of pages full of ones", 1, 4, 4095),
           _hosts("device memory that no view shows", 0, None, 5),
           _hosts("a page with one view", None, 1, 77, views=(1, 0)),
           _hosts("pages full of the number that you write", views_harness.ITS_OWN, 1, 2048)))

FASTER = """
def faster(nbytes, reads, link, memory):
    copied = nbytes / link["copy"] + reads * nbytes / memory
    in_place = reads * nbytes / link["kernel"]
    return "copy" if copied < in_place else "zero-copy"
"""


def _rates(source):
    """Rates in which one of the two is faster by a tenth or more: how a float is rounded is not asked."""
    while True:
        nbytes, reads = source.choice([4096.0, 1e6, 1e9]), source.choice([1, 2, 3, 6, 20])
        link = {"copy": source.choice([5, 12, 25, 55]) * 1e9, "kernel": source.choice([3, 11, 22, 60]) * 1e9}
        memory = source.choice([10, 24, 40, 100, 4000]) * 1e9
        copied, in_place = nbytes / link["copy"] + reads * nbytes / memory, reads * nbytes / link["kernel"]
        if not 0.9 < copied / in_place < 1.1:
            return nbytes, reads, link, memory


faster = Exercise(
    id="copy-or-zero-copy", lesson="03", title="Copy it, or read it in place?", name="faster", minutes=6,
    statement="""
A kernel reads `nbytes` bytes of host memory `reads` times. In place, each read crosses the link, at `link["kernel"]`
bytes a second. Copied first, they cross once, at `link["copy"]`, and then each read comes from device memory, at
`memory` bytes a second. Write `faster(nbytes, reads, link, memory)`: `"copy"` or `"zero-copy"`, whichever takes less
time by this count. Three lines are enough.

    link = {"copy": 50e9, "kernel": 60e9}
    faster(1e6, 1, link, 4000e9)        # "zero-copy"
    faster(1e6, 2, link, 4000e9)        # "copy"
""",
    starter="""
def faster(nbytes, reads, link, memory):
    '''"copy" or "zero-copy".'''
    ...         # about three lines
""",
    hints=("A time is bytes divided by bytes a second. Write down both times before you compare.",
           "The copy takes `nbytes / link[\"copy\"]`, and after it the kernel still reads everything, from device "
           "memory."),
    solution=FASTER,
    mistakes=(
        slip(FASTER, " + reads * nbytes / memory", "",
             "After the copy the kernel still has to read, from device memory: that takes time too.",
             "def faster(nbytes, reads, link, memory):\n    return 'copy' if 1 / link['copy'] < reads / link['kernel'] "
             "else 'zero-copy'"),
        slip(FASTER, "reads * nbytes / memory", "nbytes / memory",
             "The kernel reads the copy as often as it would read in place: multiply by `reads` there, too."),
        slip(FASTER, "in_place = reads * nbytes", "in_place = nbytes",
             "In place, each read crosses the link anew: multiply by `reads`."),
        slip(FASTER, "nbytes / link[\"copy\"]", "reads * nbytes / link[\"copy\"]",
             "What you return does not depend on `reads`. Copied, the data crosses the link once, however often the "
             "kernel reads; in place it crosses the link with each read. Compute both times.",
             FASTER.replace("reads * nbytes", "nbytes"),
             "def faster(nbytes, reads, link, memory):\n"
             "    return 'copy' if link['copy'] > link['kernel'] else 'zero-copy'"),
        slip(FASTER, "copied < in_place", "copied > in_place",
             "You return the slower one: turn the comparison round."),
        slip(FASTER, """nbytes / link["copy"] + reads * nbytes / memory
    in_place = reads * nbytes / link["kernel"]""", """nbytes * link["copy"] + reads * nbytes * memory
    in_place = reads * nbytes * link["kernel"]""",
             "A time is bytes divided by bytes a second: you multiply."),
        slip(FASTER, "link[\"copy\"]", "link[\"kernel\"]",
             "The copy crosses the link at its own rate, `link[\"copy\"]`.",
             FASTER.replace('link["copy"]', "0").replace('link["kernel"]', 'link["copy"]').replace("/ 0",
                                                                                                   '/ link["kernel"]'),
             ),
        slip(FASTER, "link[\"kernel\"]", "link[\"copy\"]",
             "In place the kernel reads over the link at its own rate, `link[\"kernel\"]`."),
    ),
    cases=(Case("one read", (1e6, 1, {"copy": 50e9, "kernel": 60e9}, 4000e9), "zero-copy"),
           Case("two reads", (1e6, 2, {"copy": 50e9, "kernel": 60e9}, 4000e9), "copy"),
           Case("a slow device memory", (3e7, 1, {"copy": 12e9, "kernel": 11e9}, 100e9), "zero-copy", True),
           Case("a slow device memory, read five times", (3e7, 5, {"copy": 12e9, "kernel": 11e9}, 100e9), "copy", True),
           Case("a device no faster than the link", (1e9, 9, {"copy": 20e9, "kernel": 22e9}, 21e9), "zero-copy", True),
           Case("a slow device memory, read often", (1e6, 40, {"copy": 55e9, "kernel": 3e9}, 100e9), "copy", True),
           Case("a kernel that is slow over the link", (4096, 1, {"copy": 55e9, "kernel": 3e9}, 4400e9), "copy", True),
           Case("a copy that is slow over the link", (1e6, 3, {"copy": 5e9, "kernel": 25e9}, 4400e9),
                "zero-copy", True),
           Case("three reads of a device memory half as fast again as the link",
                (1e6, 3, {"copy": 20e9, "kernel": 20e9}, 32e9), "copy", True)),
    random_case=_rates)

EXERCISES = (asking.edges, faster, asking.is_pinned, to_device, to_host, all_hosts)
