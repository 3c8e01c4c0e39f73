"""Lesson 06, Why the inverse is a query: the inverse as far as it goes, the book for the rest, and arguments tested."""
from ..exercise import Case, Exercise, Mistake, slip
from . import pointer_harness
from .table_kind import cases_of, choice, starter_of

IMPORT = """
from course_lib.pointers import attribute
"""
HOST_POINTER = IMPORT + """
def host_pointer_for(address):
    host = attribute(address, "HOST_POINTER")
    if host is not None:
        return host
    if attribute(address, "MEMORY_TYPE") is not None:
        return "no host pointer"
    return "unknown"
"""

FORWARD = """
from cuda.bindings import driver as cu

def host_pointer_for(address):
    error, device = cu.cuMemHostGetDevicePointer(address, 0)
    if error == cu.CUresult.CUDA_SUCCESS:
        return address
    error, kind = cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    return "no host pointer" if error == cu.CUresult.CUDA_SUCCESS else "unknown"
"""

host_pointer = Exercise(
    id="host-pointer-for", lesson="06", title="The inverse, as far as there is one", name="host_pointer_for", minutes=8,
    sandboxed=True, run=pointer_harness.host_pointer, cases=pointer_harness.cases,
    statement="""
The driver answers for some addresses. Write `host_pointer_for(address)`: the host pointer of a device address, or the
reason why there is none: `"no host pointer"` where the driver knows the address, `"unknown"` where it does not.
`attribute(address, "HOST_POINTER")` asks the driver for one attribute: a number, or `None` where it has no answer.
`"MEMORY_TYPE"` is another (1 on the host, 2 on the device). Six lines are enough.

    host_pointer_for(address of pinned memory)      # the same address
    host_pointer_for(address of device memory)      # "no host pointer"
    host_pointer_for(0)                             # "unknown"
""",
    starter=IMPORT + """
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
                "in a crash where none does.",
                also=(HOST_POINTER.replace('attribute(address, "HOST_POINTER")', 'attribute(address, "DEVICE_POINTER")'),)),
        Mistake(FORWARD,
                "Managed memory has a host pointer, and your function finds none: neither the forward call nor the memory "
                "type tells of it. The way back is the attribute HOST_POINTER."),
        slip(HOST_POINTER, """    host = attribute(address, "HOST_POINTER")
""",
             """    from cuda.bindings import driver as cu
    which = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER
    _, (host,) = cu.cuPointerGetAttributes(1, [which], address)
    host = int(host) or None
""",
             "The plural call is the trap: for an address that the driver does not know it succeeds, and gives the "
             "address itself. Ask with the singular call."),
        slip(HOST_POINTER, """    host = attribute(address, "HOST_POINTER")
""", """    if attribute(address, "MEMORY_TYPE") == 2:
        return "no host pointer"
    host = attribute(address, "HOST_POINTER")
""",
             "Managed memory is of type 2 and has a host pointer all the same: ask for that first."),
        slip(HOST_POINTER, """    host = attribute(address, "HOST_POINTER")
""", """    if attribute(address, "DEVICE_POINTER") is not None:
        return "no host pointer"
    host = attribute(address, "HOST_POINTER")
""",
             "DEVICE_POINTER has an answer for pinned memory, too, which is not the device's. Ask for the host pointer first."),
        slip(HOST_POINTER, """    if attribute(address, "MEMORY_TYPE") is not None:
        return "no host pointer"
    return "unknown"
""", """    return "no host pointer"
""",
             "Some addresses without a host pointer the driver does not know at all: reserved-only and pageable ones.",
             HOST_POINTER.replace('attribute(address, "MEMORY_TYPE") is not None', 'attribute(address, "MEMORY_TYPE") != 1')),
        slip(HOST_POINTER, """    if attribute(address, "MEMORY_TYPE") is not None:
        return "no host pointer"
    return "unknown"
""", """    return "unknown"
""",
             "The driver knows more than it has a host pointer for: where MEMORY_TYPE has an answer, say `\"no host "
             "pointer\"`.",
             HOST_POINTER.replace('attribute(address, "MEMORY_TYPE") is not None', 'attribute(address, "MEMORY_TYPE") == 1')),
        slip(HOST_POINTER, 'attribute(address, "MEMORY_TYPE") is not None', 'attribute(address, "MEMORY_TYPE") == 2',
             "Memory on the host that only the device may use is of type 1, and the host has no pointer to it. What counts is "
             "whether MEMORY_TYPE has an answer."),
        slip(HOST_POINTER, 'attribute(address, "MEMORY_TYPE") is not None', 'attribute(address, "MEMORY_TYPE") is None',
             "The two words are exchanged: where MEMORY_TYPE has an answer, the driver knows the address."),
        slip(HOST_POINTER, """    if host is not None:
        return host
""", """    if host is not None:
        return "host memory"
""",
             "Where there is a host pointer, it is the answer: return the number, and no word.",
             HOST_POINTER.replace("        return host\n", "        return True\n")),
        slip(HOST_POINTER, """    return "unknown"
""", "",
             "For an address that the driver does not know you return None: say `\"unknown\"`.",
             HOST_POINTER.replace('return "unknown"', "return None")),
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



def _random_script(source):
    """Views of up to three memories, one of which may be freed, and one question. What is asked for is never in two
    other views: the statement says nothing about which of them to take."""
    lines, views = [], []
    for place in range(source.randint(1, 4)):
        memory = source.choice("abc")
        host, device = (source.choice([base + 100 * place, base + 100 * place, None]) for base in (1000, 5000))
        for side, address in enumerate((host, device)):
            if address is not None and any(view[2] == memory and view[side] is not None for view in views):
                host, device = (None, device) if side == 0 else (host, None)
        views.append((host, device, memory))
        lines.append(f"view{place} = book.add({host}, {device}, 64, {memory!r})")
    if len(views) > 1 and source.random() < 0.4:
        lines.append(f"book.free(view{source.randrange(len(views))})")
    side = source.randrange(2)
    start = (1000, 5000)[side] + 100 * source.randrange(len(views))
    lines.append(f"book.{('to_device', 'to_host')[side]}({start + source.choice([0, 1, 40, 63, 64, -1])})")
    return _case("", "\n".join(lines), None)


book = Exercise(
    id="address-book", lesson="06", title="The address book", name="Book", kind="class", minutes=10, run=_run_script,
    statement="""
The whole course in one class. `add` enters a view: its host address, its device address (`None` where it has none on
a side), its length, and a name for the memory that it shows; views with the same name are
equally long and show the same bytes. Write `to_device(address)` and `to_host(address)`, for interior addresses too: the address on the other side,
by the view that holds it, or, if that has no other side, by another view of the same memory; `None` where there is
none. And write `free(view)`: its addresses lead nowhere from then on. About fifteen lines.

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
        Mistake(BOOK_SOLUTION.replace("                for other in (view, *self.views):\n"
                                      "                    if other[3] == view[3] and other[wanted] is not None:\n"
                                      "                        return other[wanted] + address - view[given]",
                                      "                return None if view[wanted] is None else view[wanted]"),
                "Right for the start of a view only: add how far into the view the address is.",
                also=(BOOK_SOLUTION.replace("view[given] <= address < view[given] + view[2]",
                                            "view[given] == address"),
                      BOOK_SOLUTION.replace("other[wanted] + address - view[given]",
                                            "other[wanted] + (address - view[given] if other is view else 0)"))),
        slip(BOOK_SOLUTION, "self.views.remove(view)", "self.views = [one for one in self.views if one[3] != view[3]]",
             "You forget all views of that memory. The others are still good: only this one was freed."),
        slip(BOOK_SOLUTION, "self.views.remove(view)", "self.views.clear()",
             "You forget every view of the book. The others are still good: only this one was freed."),
        slip(BOOK_SOLUTION, "self.views.remove(view)", "self.views.pop()",
             "You forget the view that was added last. The one that is freed may be another: `remove(view)`."),
        slip(BOOK_SOLUTION, "if other[3] == view[3] and ", "if ",
             "You go over the views of every memory: keep to those of the memory that the address is in."),
        slip(BOOK_SOLUTION, "view[given] <= address < view[given] + view[2]", "view[given] <= address",
             "An address behind the end is taken for one of the view: look at its length too."),
        slip(BOOK_SOLUTION, "self.other_side(device_address, 1, 0)", "self.other_side(device_address, 0, 1)",
             "`to_host` does not find the device's address that it is given: look among the device addresses of the "
             "views, and give the host's."),
        slip(BOOK_SOLUTION, "self.other_side(host_address, 0, 1)", "self.other_side(host_address, 1, 0)",
             "`to_device` does not find the host address that it is given: look among the host addresses of the views, "
             "and give the device's."),
        slip(BOOK_SOLUTION, "for other in (view, *self.views):", "for other in (view,):",
             "A view without the other side need not be the end: another view of the same memory may have it."),
        slip(BOOK_SOLUTION, "+ address - view[given]", "+ view[given] - address",
             "The distance has the wrong sign: take the start away from the address."),
        slip(BOOK_SOLUTION, " + address - view[given]", "",
             "You give where the view begins: add how far into it the address is."),
        slip(BOOK_SOLUTION, "view[given] is not None and ", "",
             "A view may have no address on that side, and `None` cannot be compared: look at that first."),
        slip(BOOK_SOLUTION, "for other in (view, *self.views):", "for other in self.views:",
             "You take any view of the memory. The one that holds the address comes first, if it has the other side."),
        slip(BOOK_SOLUTION, "address < view[given] + view[2]", "address <= view[given] + view[2]",
             "One past the end belongs to no view, or to the next one: compare with `<`."),
        slip(BOOK_SOLUTION, "view[given] <= address", "view[given] < address",
             "The first address of a view belongs to it: compare it with `<=`."),
        slip(BOOK_SOLUTION, " and other[wanted] is not None", "",
             "The view that holds the address may have no other side, and `None` is not a number: look at that before "
             "you add."),
    ),
    cases=(
        _case("an address inside a view", 'book.add(5000, 70000, 64, "a")\nbook.to_host(70010)', 5010, False),
        _case("an address with another view of its memory",
              'book.add(5000, 70000, 64, "a")\nbook.add(None, 90000, 64, "a")\nbook.to_host(90010)',
              5010, False),
        _case("a host address", 'book.add(300, 8000, 16, "m")\nbook.add(100, 4000, 32, "n")\nbook.to_device(131)',
              4031),
        _case("the start of a view", 'book.add(300, 8000, 16, "m")\nbook.to_device(300)', 8000),
        _case("a freed view", 'view = book.add(5000, 70000, 64, "a")\nbook.free(view)\nbook.to_host(70000)', None),
        _case("an address given out again", 'old = book.add(5000, 70000, 64, "a")\nbook.free(old)\n'
              'book.add(6400, 70000, 32, "b")\nbook.to_host(70004)', 6404),
        _case("a freed view whose alias lives on",
              'one = book.add(5000, 70000, 64, "a")\nbook.add(2000, 80000, 64, "a")\nbook.free(one)\n'
              'book.to_device(2063)', 80063),
        _case("a view that lives on after another one was freed",
              'one = book.add(5000, 70000, 64, "a")\nbook.add(2000, 80000, 64, "b")\nbook.free(one)\n'
              'book.to_device(2063)', 80063),
        _case("the first of two views, freed", 'one = book.add(5000, 70000, 64, "a")\n'
              'book.add(2000, 80000, 64, "b")\nbook.free(one)\nbook.to_host(70000)', None),
        _case("two host views of one page", 'book.add(5000, 70000, 64, "p")\nbook.add(9000, 30000, 64, "p")\n'
              'book.to_host(30001)', 9001),
        _case("device memory with no host address at all",
              'book.add(None, 70000, 64, "d")\nbook.to_host(70001)', None),
        _case("device memory beside a view that has a host address",
              'book.add(40, 90, 8, "e")\nbook.add(None, 70000, 64, "d")\nbook.to_host(70001)', None),
        _case("a host address among views that have none", 'book.add(None, 70000, 64, "d")\nbook.add(40, 90, 8, "e")\n'
              'book.to_device(47)', 97),
        _case("a host address with no device address", 'book.add(40, None, 8, "e")\nbook.to_device(41)', None),
        _case("an address just before a view", 'book.add(40, 90, 8, "e")\nbook.to_host(89)', None),
        _case("one past the end of a view", 'book.add(40, 90, 8, "e")\nbook.to_host(98)', None)),
    random_case=_random_script)

HITS = """
hits = {
    "it is partial: for many addresses there is no answer": "both",
    "one memory may have several addresses": "both",
    "an address may be given out again, to other memory": "both",
    "on this machine the answer for pinned memory is the number that was put in": "both",
    "who wants the answer seldom knows whether there is one": "back only",
    "where the numbers differ, a program already holds the pointer that the answer would be": "back only",
    "two contexts without unified addressing used one number for different memory": "back only",
}
"""

OPTIONS = "both", "forward only", "back only"

which_direction = Exercise(
    id="which-direction", lesson="06", title="Which argument hits which direction?", name="hits", kind="table",
    minutes=6, options=OPTIONS, run=choice(OPTIONS), cases=cases_of(HITS),
    statement="""
Each sentence is an objection. Does it hit the forward call, the way back, or both? Put one of `"both"`,
`"forward only"` and `"back only"` behind each. Only what hits one direction alone can be a reason to treat the two
differently. Four of the seven you have seen in an experiment, one in a model, and two are about who calls.
""",
    starter=starter_of(HITS),
    hints=("For each sentence, say it twice: once of `cudaHostGetDevicePointer`, once of `HOST_POINTER`. Is it true "
           "both times?",
           "Four are true of both. The other three speak of who calls, of what a program has already, and of two contexts."),
    solution=HITS,
    mistakes=(
        slip(HITS, "no answer\": \"both\"", "no answer\": \"back only\"",
             "Forward is partial too: lesson 03 asked it seven questions, and it answered one."),
        slip(HITS, "no answer\": \"both\"", "no answer\": \"forward only\"",
             "The way back has no answer for device memory, and none for what the driver does not know."),
        slip(HITS, "several addresses\": \"both\"", "several addresses\": \"forward only\"",
             "The host had two addresses for the page as well: each was its own way, forward and back."),
        slip(HITS, "other memory\": \"both\"", "other memory\": \"forward only\"",
             "Device addresses are given out again as well, and then the way back answers for the new memory."),
        slip(HITS, "was put in\": \"both\"", "was put in\": \"forward only\"",
             "Back gives the number that was put in, too: the two views have equal addresses here."),
        slip(HITS, "there is one\": \"back only\"", "there is one\": \"forward only\"",
             "It is the other way round: who calls forward has, as a rule, pinned the memory, and knows that there is an answer."),
        slip(HITS, "would be\": \"back only\"", "would be\": \"forward only\"",
             "A program that pinned memory holds its host pointer. Which of the two calls would give it that?"),
        slip(HITS, "different memory\": \"back only\"", "different memory\": \"forward only\"",
             "Forward starts from a host address, which is one in its process, whatever the context."),
        slip(HITS, "several addresses\": \"both\"", "several addresses\": \"back only\"",
             "In lesson 03b the page had two device addresses as well. Each address led to its own partner, both "
             "ways."),
        slip(HITS, "other memory\": \"both\"", "other memory\": \"back only\"",
             "Look at the cell above: after the address was given out again, forward answered for the new memory, as "
             "back did."),
        slip(HITS, "was put in\": \"both\"", "was put in\": \"back only\"",
             "Forward gives the number that was put in, too: look at the eleven addresses."),
        slip(HITS, "there is one\": \"back only\"", "there is one\": \"both\"",
             "A device pointer may come from anywhere: from cudaMalloc, from a library, from a kernel. And the host pointer that "
             "forward is called with?"),
        slip(HITS, "would be\": \"back only\"", "would be\": \"both\"",
             "Before the forward call, a program has the host pointer and not the device's. Which of the two answers "
             "does it hold already?"),
        slip(HITS, "different memory\": \"back only\"", "different memory\": \"both\"",
             "A host address is unique in its process, and the current context chose the device's. In the model of "
             "lesson 03c, which of the two could lead to different *memory*, in two contexts?"),
    ))

EXERCISES = (host_pointer, book, which_direction)
