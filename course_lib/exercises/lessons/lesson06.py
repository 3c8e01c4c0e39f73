"""Lesson 06, Why there is no inverse: the inverse as far as it goes, the book for the rest, and arguments tested."""
from ..exercise import Case, Exercise, Mistake, slip
from . import pointer_harness
from .table_kind import cases_of, choice, options_of, starter_of

ASK = """
from cuda.bindings import driver as cu

def ask(name, address):
    '''One attribute of an address as a number, or None where the driver has no answer.'''
    attribute = getattr(cu.CUpointer_attribute, "CU_POINTER_ATTRIBUTE_" + name)
    error, answer = cu.cuPointerGetAttribute(attribute, address)
    return int(answer) if error == cu.CUresult.CUDA_SUCCESS else None
"""
HOST_POINTER = ASK + """
def host_pointer_for(address):
    host = ask("HOST_POINTER", address)
    if host is not None:
        return host
    if ask("MEMORY_TYPE", address) is not None:
        return "device memory"
    return "unknown"
"""

host_pointer = Exercise(
    id="host-pointer-for", lesson="06", title="The inverse, as far as there is one", name="host_pointer_for", minutes=8,
    sandboxed=True, run=pointer_harness.host_pointer, cases=pointer_harness.cases,
    statement="""
The driver answers for some addresses. Write `host_pointer_for(address)`: the host pointer of a device address, or the
reason why there is none: `"device memory"` where the driver knows the address, `"unknown"` where it does not. The
function `ask` in the starter asks the driver for one attribute, such as `"HOST_POINTER"` or `"MEMORY_TYPE"` (1 on the
host, 2 on the device). Six lines are enough.

    host_pointer_for(address of pinned memory)      # the same address
    host_pointer_for(address of device memory)      # "device memory"
    host_pointer_for(0)                             # "unknown"
""",
    starter=ASK + """
def host_pointer_for(address):
    '''A host pointer, or the reason why there is none.'''
    ...         # about six lines
""",
    hints=("Ask for the host pointer first: where the driver gives one, that is the answer, whatever the memory "
           "is.",
           "Where it gives none, MEMORY_TYPE tells whether the driver knows the address at all."),
    solution=HOST_POINTER,
    mistakes=(
        Mistake("def host_pointer_for(address):\n    return address",
                "You return what you were given. That is right where a host pointer exists, and an address that ends "
                "in a crash where none does."),
        slip(HOST_POINTER, """    host = ask("HOST_POINTER", address)
""",
             """    attribute = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER
    _, (host,) = cu.cuPointerGetAttributes(1, [attribute], address)
    host = int(host) or None
""",
             "The plural call is the trap: for an address that the driver does not know it succeeds, and gives the "
             "address itself. Ask with the singular call."),
        slip(HOST_POINTER, """    host = ask("HOST_POINTER", address)
""", """    if ask("MEMORY_TYPE", address) == 2:
        return "device memory"
    host = ask("HOST_POINTER", address)
""",
             "Managed memory is of type 2 and has a host pointer all the same: ask for that first."),
        slip(HOST_POINTER, """    if ask("MEMORY_TYPE", address) is not None:
        return "device memory"
    return "unknown"
""", """    return "device memory"
""",
             "Not every address without a host pointer is device memory: the driver does not know reserved-only and "
             "pageable ones at all."),
        slip(HOST_POINTER, """    return "unknown"
""", "",
             "For an address that the driver does not know you return None: say `\"unknown\"`."),
    ))

BOOK = """
class Book:
    def __init__(self):
        self.views = []

    def add(self, host, device, nbytes, memory):
        view = (host, device, nbytes, memory)
        self.views.append(view)
        return view
"""
LOOK_UPS = """
    def free(self, view):
        self.views.remove(view)

    def to_device(self, host_address):
        return self.other_side(host_address, 0, 1)

    def to_host(self, device_address):
        return self.other_side(device_address, 1, 0)

    def other_side(self, address, given, wanted):
        for view in self.views:
            if view[given] is not None and view[given] <= address < view[given] + view[2]:
                for other in (view, *self.views):
                    if other[3] == view[3] and other[wanted] is not None:
                        return other[wanted] + address - view[given]
        return None
"""
BOOK_SOLUTION = BOOK + LOOK_UPS


def _case(what, script, expected, hidden=True):
    return Case(what, (script,), expected, hidden, script.strip())


def _run_script(answer, script):
    """Run the lines with the learner's Book; the value of the last one."""
    *lines, last = script.strip().splitlines()
    names = {"Book": answer, "book": answer()}
    exec("\n".join(lines), names)
    return eval(last, names)


book = Exercise(
    id="address-book", lesson="06", title="The address book", name="Book", kind="class", minutes=10, run=_run_script,
    statement="""
The whole course in one class. `add` enters a view: its host address, its device address (`None` where it has none on
a side), its length, and a name for the memory that it shows; views with the same name show the same bytes. Write
`to_device(address)` and `to_host(address)`, for interior addresses too: the address on the other side, by the view
that holds it, or, if that has no other side, by another view of the same memory; `None` where there is none. And
write `free(view)`: its addresses lead nowhere from then on. About fifteen lines.

    book = Book()
    view = book.add(5000, 70000, 64, "a")
    book.to_host(70010)         # 5010
    book.add(None, 90000, 64, "a")
    book.to_host(90010)         # 5010: the same memory, by its other view
""",
    starter=BOOK + """
    def free(self, view):
        ...         # one line

    def to_device(self, host_address):
        ...         # about six lines

    def to_host(self, device_address):
        ...         # about six lines
""",
    hints=("First find the living view whose range holds the address. A view may have no address on that side: "
           "`None` cannot be compared.",
           "If that view has an address on the other side, it counts. If not, go through the views of the same "
           "memory: all of them begin at its first byte."),
    solution=BOOK_SOLUTION,
    mistakes=(
        slip(BOOK_SOLUTION, "self.views.remove(view)", "pass",
             "A freed view still answers: its addresses lead nowhere, and may be given out again."),
        slip(BOOK_SOLUTION, "self.views.remove(view)", "self.views = [one for one in self.views if one[3] != view[3]]",
             "You forget all views of that memory. The others are still good: only this one was freed."),
        slip(BOOK_SOLUTION, "for other in (view, *self.views):", "for other in (view,):",
             "A view without the other side need not be the end: another view of the same memory may have it."),
        slip(BOOK_SOLUTION, " + address - view[given]", "",
             "You give where the view begins: add how far into it the address is."),
        slip(BOOK_SOLUTION, "view[given] is not None and ", "",
             "A view may have no address on that side, and `None` cannot be compared: look at that first."),
        slip(BOOK_SOLUTION, "for other in (view, *self.views):", "for other in self.views:",
             "You take any view of the memory. The one that holds the address comes first, if it has the other side."),
        slip(BOOK_SOLUTION, "address < view[given] + view[2]", "address <= view[given] + view[2]",
             "One past the end belongs to no view, or to the next one: compare with `<`."),
    ),
    cases=(
        _case("inside a view", 'book.add(5000, 70000, 64, "a")\nbook.to_host(70010)', 5010, False),
        _case("another view of the memory",
              'book.add(5000, 70000, 64, "a")\nbook.add(None, 90000, 64, "a")\nbook.to_host(90010)',
              5010, False),
        _case("from the host", 'book.add(300, 8000, 16, "m")\nbook.add(100, 4000, 32, "n")\nbook.to_device(131)', 4031),
        _case("a freed view", 'view = book.add(5000, 70000, 64, "a")\nbook.free(view)\nbook.to_host(70000)', None),
        _case("an address given out again", 'old = book.add(5000, 70000, 64, "a")\nbook.free(old)\n'
              'book.add(6400, 70000, 32, "b")\nbook.to_host(70004)', 6404),
        _case("its alias lives on",
              'one = book.add(5000, 70000, 64, "a")\nbook.add(2000, 80000, 64, "a")\nbook.free(one)\n'
              'book.to_device(2063)', 80063),
        _case("two host views of one page", 'book.add(5000, 70000, 64, "p")\nbook.add(9000, 30000, 64, "p")\n'
              'book.to_host(30001)', 9001),
        _case("device memory, with no host address at all",
              'book.add(None, 70000, 64, "d")\nbook.to_host(70001)', None),
        _case("a host address among views that have none", 'book.add(None, 70000, 64, "d")\nbook.add(40, 90, 8, "e")\n'
              'book.to_device(47)', 97),
        _case("one past the end", 'book.add(40, 90, 8, "e")\nbook.to_host(98)', None)))

HITS = """
hits = {
    "it is partial: for many addresses there is no answer": "both",
    "one memory may have several addresses": "both",
    "an address may be given out again, to other memory": "both",
    "on this machine the answer is the number that was put in": "both",
    "who calls it pinned the memory, and knows that there is an answer": "forward only",
    "a program already holds the pointer that the answer would be": "back only",
    "two contexts without unified addressing used one number for different memory": "back only",
}
"""

which_direction = Exercise(
    id="which-direction", lesson="06", title="Which argument hits which direction?", name="hits", kind="table",
    minutes=6, options=options_of(HITS), run=choice(options_of(HITS)), cases=cases_of(HITS),
    statement="""
Hold each sentence to the test: is it true of the forward call, of the way back, or of both? Put one of `"both"`,
`"forward only"` and `"back only"` behind each. Only what is true of one direction alone can be a reason to treat the
two differently. You have an experiment for each; where you doubt, try it in a cell.
""",
    starter=starter_of(HITS),
    hints=("For each sentence, say it twice: once of `cudaHostGetDevicePointer`, once of `HOST_POINTER`. Is it true "
           "both times?",
           "Four are true of both. Of the other three, one speaks of who calls forward, and two of a number that comes "
           "without its history."),
    solution=HITS,
    mistakes=(
        slip(HITS, "no answer\": \"both\"", "no answer\": \"back only\"",
             "Forward is partial too: lesson 03 put it to seven addresses, and it answered for one."),
        slip(HITS, "several addresses\": \"both\"", "several addresses\": \"back only\"",
             "In lesson 03b the page had two device addresses as well. Each address led to its own partner, both "
             "ways."),
        slip(HITS, "other memory\": \"both\"", "other memory\": \"back only\"",
             "Look at the cell above: after the address was given out again, forward answered for the new memory, as "
             "back did."),
        slip(HITS, "was put in\": \"both\"", "was put in\": \"back only\"",
             "Where both answer, both give the number that they were given."),
        slip(HITS, "is an answer\": \"forward only\"", "is an answer\": \"both\"",
             "Who holds a device pointer may have it from anywhere: from cudaMalloc, from a library, from a kernel. "
             "Nothing says that it has a host side."),
        slip(HITS, "would be\": \"back only\"", "would be\": \"both\"",
             "Before the forward call, a program has the host pointer and not the device's. Which of the two answers "
             "does it hold already?"),
        slip(HITS, "different memory\": \"back only\"", "different memory\": \"both\"",
             "A host address is unique in its process, and the current context chose the device's. In the model of "
             "lesson 03c, which of the two had more than one answer?"),
    ))

EXERCISES = (host_pointer, book, which_direction)
