"""Exercises of "Before unified addressing": pairs of host and device addresses, and the address book that keeps them."""
from ...exercises.exercise import Case, Exercise, Mistake, Program, change, slip
from . import harness

BOOK = [(5000, 70000, 64), (1000, 20000, 16)]
OTHER = [(300, 4096, 100), (400, 9000, 8), (9000, 300, 50)]
TOUCHING = [(400, 500, 8), (408, 600, 8), (9000, 608, 30)]


def _mistakes(name, given, wanted):
    """What goes wrong in both directions; `name` is the function's, `given` and `wanted` name the sides."""
    test = f"if {given}_start <= {given}_address < {given}_start + nbytes:"
    found = f"return {wanted}_start + ({given}_address - {given}_start)"
    given_place, wanted_place = (1, 0) if given == "device" else (0, 1)
    return (
        slip(f"< {given}_start + nbytes", f"<= {given}_start + nbytes",
             "One past the end belongs to no block, or to the next one. A block of 16 bytes has the places 0 to 15: "
             "compare with `<`."),
        slip(f"{given}_start <= {given}_address", f"{given}_start < {given}_address",
             "The first address of a block belongs to it: compare it with `<=`."),
        slip(f"< {given}_start + nbytes", f"< {given}_start + nbytes - 1",
             "The last byte of a block belongs to it: a block of 16 bytes has the places 0 to 15."),
        slip(f" + ({given}_address - {given}_start)", "",
             "Right for the start of a block only: add how far into the block the address is."),
        slip(test, f"if {given}_address == {given}_start:",
             "Only the start of a block is found. Any address within it should be: ask whether it is between start and "
             "end."),
        slip(found, f"return {given}_address",
             f"You return the {given} address itself. That the two are equal is luck of unified addressing; the book "
             f"has the {wanted} side.",
             f"def {name}(book, {given}_address):\n    return {given}_address"),
        slip(test, f"if {given}_start <= {given}_address:",
             "An address beyond the end is taken for one of the block: look at `nbytes` too."),
        slip(test, f"if {given}_address < {given}_start + nbytes:",
             "An address before the start is taken for one of the block: compare it with the start too."),
        slip(f"({given}_address - {given}_start)", f"{given}_address",
             f"You add the whole {given} address. Add only its distance from the start of its block."),
        slip(f"({given}_address - {given}_start)", f"({given}_start - {given}_address)",
             "The distance has the wrong sign: take the start away from the address."),
        slip(found, f"return {given}_address - {given}_start",
             f"You return how far into the block the address is. Add that to where the block begins on the {wanted}."),
        slip(found, f"return {given}_start + ({given}_address - {wanted}_start)",
             f"The two starts are exchanged: take the {given} start away from the address, and add what is left to the "
             f"{wanted} start."),
        slip(found, f"return {given}_address - book[0][{given_place}] + book[0][{wanted_place}]",
             "You take the first block's two addresses for every block. Each has a distance of its own between its two "
             "sides."),
        slip(found, f"{found}\n        return None",
             "You give up after the first block: the `return None` belongs behind the loop."),
        slip(found, f"{found}\n    return 0",
             "For no block, return `None`. Another value, such as 0, would be taken for an address.",
             *(change(found, f"{found}\n    {end}") for end in ("return -1", f"return {given}_address", "raise KeyError"))),
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
    id="to-device", title="The address book begins", name="to_device", minutes=5,
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
    hints=("A block holds the addresses from `host_start` up to, but not including, `host_start + nbytes`.",
           "What the two views have in common is the distance from the start of the block."),
    mistakes=(
        *_mistakes("to_device", "host", "device"),
        slip("host_start <= host_address < host_start + nbytes", "device_start <= host_address < device_start + nbytes",
             "You look for the host's address among the device addresses: compare it with `host_start`."),
    ),
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
    id="to-host", title="The way back", name="to_host", minutes=3,
    statement="""
The way back, where the two numbers differ: `to_host(book, device_address)` gives the host address of the byte at a
device address, or `None` where no block of the book holds it. The book is that of `to_device`: for each block the host
address, the device address and the number of bytes. Two lines are enough.

    book = [(5000, 70000, 64), (1000, 20000, 16)]
    to_host(book, 20015)        # 1015
    to_host(book, 1000)         # None: a host address is not a device address of this book
""",
    hints=("It is `to_device` with the two sides exchanged.",
           "The test is about `device_start`, the result about `host_start`; the distance is the same."),
    mistakes=(
        *_mistakes("to_host", "device", "host"),
        Mistake("""\
def to_host(book, host_address):
    for host_start, device_start, nbytes in book:
        if host_start <= host_address < host_start + nbytes:
            return device_start + (host_address - host_start)
""",
                "This is `to_device` again: it looks among the host addresses. The address that comes in is the "
                "device's."),
        slip("device_start <= device_address < device_start + nbytes",
             "host_start <= device_address < host_start + nbytes",
             "You look for the device's address among the host addresses: compare it with `device_start`."),
    ),
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


def _hosts(what, content, asked, byte, hidden=True, **views):
    return Case(what, (content, asked, byte, *views.values()), harness.expected(asked, byte, **views), hidden,
                f"all_hosts(views, device address of byte {byte} of "
                + ("device memory)" if asked is None else f"views[{asked}])"))


all_hosts = Exercise(
    id="all-hosts", title="One page, several host addresses", name="all_hosts", minutes=10, sandboxed=True,
    run=harness.all_hosts,
    statement="""
You have seen one page at two host addresses, each with a device address of its own. No call says which addresses show
one page, so find out by experiment. `views` is a list of registered arrays of 4096 `np.uint8`, in no order; some of
them show the same page. Write `all_hosts(views, device_address)`: every host address of the byte at a device address,
sorted; `[]` where no view shows it. Change the byte through its device address, look in which views it changed, and
put it back. Eight lines are enough; `cuda.memset_d8(address, number, 1)` writes one byte, and
`cuda.from_device(address, 1, np.uint8)` reads one.

    all_hosts(views, device address of byte 10 of views[0])     # the address of byte 10 of views[0], and of each other
                                                                # view of that page
""",
    hints=("Write a number that is not there already: `old ^ 255` differs from `old`, whatever it is. "
           "`cuda.Context.synchronize()` waits until it is written.",
           "`(view != was).any()` asks whether a view has changed, `np.argmax(view != was)` where, and "
           "`view.ctypes.data` is the address of its first byte."),
    mistakes=(
        slip("    cuda.memset_d8(device_address, old, 1)\n    cuda.Context.synchronize()\n", "",
             "The byte holds another number now, and it is somebody's data: write back what was there."),
        slip("old ^ 255", "255",
             "You write a number that may be there already, and then nothing changes: take one that differs from the "
             "old one, such as `old ^ 255`.", change("old ^ 255", "0"), change("old ^ 255", "1")),
        Mistake("""\
import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu

def all_hosts(views, device_address):
    attribute = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER
    error, host = cu.cuPointerGetAttribute(attribute, device_address)
    return [] if error else [int(host)]
""",
                "That is the host address of this view alone, as HOST_POINTER gives it. Other views of the page show "
                "the same byte, and no call tells them: change the byte, and look."),
        slip("view.ctypes.data + int(np.argmax(view != was))", "view.ctypes.data",
             "You give where the views begin: add how far into the view the byte is."),
        slip("view.ctypes.data + int(np.argmax(view != was))", "int(np.argmax(view != was))",
             "You give how far into the page the byte is. Add that to where each of the views begins."),
        slip(" if (view != was).any()]", "]", "You give addresses in every view: keep to those that have changed."),
        slip("int(np.argmax(view != was)) for view, was in zip(views, before) if (view != was).any()]",
             "device_address % 4096 for view in views if view[device_address % 4096] == old ^ 255]",
             "A view may hold that number without showing that byte. Compare each view with what it held *before*, "
             "`was`."),
        Mistake(Program("all_hosts_compares_pages.py"),
                "Two pages with the same numbers in them may be two pages. Change the byte, and look in which views it "
                "changes."),
        slip("[view.copy() for view in views]", "list(views)",
             "No view differs from what you keep of it. Is that a copy, `view.copy()`? (The view itself changes with "
             "the byte.) Do you write another number than the old one, and look before you write that back?"),
        slip("sorted(found)", "sorted(found)[:1]",
             "You give one address. Every view of the page shows the byte: return all of them."),
        slip("(view != was).any()]",
             "(view != was).any() and not view.ctypes.data <= device_address < view.ctypes.data + 4096]",
             "You leave out the view that was asked about. It shows the byte as well."),
    ),
    cases=(_hosts("a page with three views", None, 0, 10, False),
           _hosts("a page with two views", 0, 2, 4000, False),
           _hosts("the first byte of pages full of 255", 255, 3, 0),
           _hosts("the last byte of pages full of ones", 1, 4, 4095),
           _hosts("device memory that no view shows", 0, None, 5),
           _hosts("a page with one view", None, 1, 77, views=(1, 0)),
           _hosts("pages full of the number that you write", harness.ITS_OWN, 1, 2048)))

EXERCISES = (to_device, to_host, all_hosts)
