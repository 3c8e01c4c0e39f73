"""Exercises of "Your own inverse, and an exam": the inverse as far as it goes, and the book for the rest."""
from ...exercises.exercise import Exercise, Mistake, change, slip
from . import harness

host_pointer = Exercise(
    id="host-pointer-for", title="The inverse, as far as there is one", name="host_pointer_for", minutes=8,
    sandboxed=True, run=harness.host_pointer, cases=harness.cases,
    statement="""
The driver answers for some addresses. Write `host_pointer_for(address)`: the host pointer of a device address, or the
reason why there is none: `"no host pointer"` where the driver knows the address, `"unknown"` where it does not.
`attribute(address, "HOST_POINTER")` asks the driver for one attribute: a number, or `None` where it has no answer.
`"MEMORY_TYPE"` is another (1 on the host, 2 on the device). Six lines are enough.

    host_pointer_for(address of pinned memory)      # the same address
    host_pointer_for(address of device memory)      # "no host pointer"
    host_pointer_for(0)                             # "unknown"
""",
    hints=("Ask for the host pointer first: where the driver gives one, that is the answer, whatever the memory is.",
           "Where it gives none, MEMORY_TYPE tells whether the driver knows the address at all."),
    mistakes=(
        Mistake("def host_pointer_for(address):\n    return address\n",
                "You return what you were given. That is right where a host pointer exists, and an address that ends "
                "in a crash where none does.",
                also=(change('attribute(address, "HOST_POINTER")', 'attribute(address, "DEVICE_POINTER")'),)),
        Mistake("""\
from cuda.bindings import driver as cu

def host_pointer_for(address):
    error, device = cu.cuMemHostGetDevicePointer(address, 0)
    if error == cu.CUresult.CUDA_SUCCESS:
        return address
    error, kind = cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    return "no host pointer" if error == cu.CUresult.CUDA_SUCCESS else "unknown"
""",
                "Managed memory has a host pointer, and your function finds none: neither the forward call nor the "
                "memory type tells of it. The way back is the attribute HOST_POINTER."),
        slip('    host = attribute(address, "HOST_POINTER")\n', """\
    from cuda.bindings import driver as cu
    which = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER
    _, (host,) = cu.cuPointerGetAttributes(1, [which], address)
    host = int(host) or None
""",
             "The plural call is the trap: for an address that the driver does not know it succeeds, and gives the "
             "address itself. Ask with the singular call."),
        slip('    host = attribute(address, "HOST_POINTER")\n', """\
    if attribute(address, "MEMORY_TYPE") == 2:
        return "no host pointer"
    host = attribute(address, "HOST_POINTER")
""",
             "Managed memory is of type 2 and has a host pointer all the same: ask for that first."),
        slip('    host = attribute(address, "HOST_POINTER")\n', """\
    if attribute(address, "DEVICE_POINTER") is not None:
        return "no host pointer"
    host = attribute(address, "HOST_POINTER")
""",
             "DEVICE_POINTER has an answer for pinned memory, too, which is not the device's. Ask for the host pointer "
             "first."),
        slip("""\
    if attribute(address, "MEMORY_TYPE") is not None:
        return "no host pointer"
    return "unknown"
""",
             '    return "no host pointer"\n',
             "Some addresses without a host pointer the driver does not know at all: reserved-only and pageable ones.",
             change('attribute(address, "MEMORY_TYPE") is not None', 'attribute(address, "MEMORY_TYPE") != 1')),
        slip("""\
    if attribute(address, "MEMORY_TYPE") is not None:
        return "no host pointer"
    return "unknown"
""",
             '    return "unknown"\n',
             'The driver knows more than it has a host pointer for: where MEMORY_TYPE has an answer, say `"no host '
             'pointer"`.'),
        slip('attribute(address, "MEMORY_TYPE") is not None', 'attribute(address, "MEMORY_TYPE") == 2',
             "Memory on the host that only the device may use is of type 1, and the host has no pointer to it. What "
             "counts is whether MEMORY_TYPE has an answer."),
        slip('attribute(address, "MEMORY_TYPE") is not None', 'attribute(address, "MEMORY_TYPE") is None',
             "The two words are exchanged: where MEMORY_TYPE has an answer, the driver knows the address."),
        slip("        return host\n", '        return "host memory"\n',
             "Where there is a host pointer, it is the answer: return the number, and no word.",
             change("        return host\n", "        return True\n")),
        slip('    return "unknown"\n', "",
             'For an address that the driver does not know you return None: say `"unknown"`.'),
    ))


book = Exercise(
    id="address-book", title="The address book", name="Book", kind="class", minutes=10, run=harness.run_script,
    random_case=harness.random_script,
    statement="""
The whole course in one class. `add` enters a view: its host address, its device address (`None` where it has none on
a side), its length, and a name for the memory that it shows; views with the same name are equally long and show the
same bytes. Write `to_device(address)` and `to_host(address)`, for interior addresses too: the address on the other
side, by the view that holds it, or, if that has no other side, by another view of the same memory; `None` where there
is none. And write `free(view)`: its addresses lead nowhere from then on. About fifteen lines.

    book = Book()
    view = book.add(5000, 70000, 64, "a")
    book.to_host(70010)         # 5010
    book.add(None, 90000, 64, "a")
    book.to_host(90010)         # 5010: the same memory, by its other view
""",
    hints=("First find the living view whose range holds the address. A view may have no address on that side: `None` "
           "cannot be compared.",
           "If that view has an address on the other side, it counts. If not, go through the views of the same memory: "
           "all of them begin at its first byte."),
    mistakes=(
        slip("self.views.remove(view)", "pass",
             "A freed view still answers: its addresses lead nowhere, and may be given out again."),
        slip("""\
                for other in (view, *self.views):
                    if other[3] == view[3] and other[wanted] is not None:
                        return other[wanted] + address - view[given]""",
             "                return None if view[wanted] is None else view[wanted]",
             "Right for the start of a view only: add how far into the view the address is.",
             change("view[given] <= address < view[given] + view[2]", "view[given] == address"),
             change("other[wanted] + address - view[given]",
                    "other[wanted] + (address - view[given] if other is view else 0)")),
        slip("self.views.remove(view)", "self.views = [one for one in self.views if one[3] != view[3]]",
             "You forget all views of that memory. The others are still good: only this one was freed."),
        slip("self.views.remove(view)", "self.views.clear()",
             "You forget every view of the book. The others are still good: only this one was freed."),
        slip("self.views.remove(view)", "self.views.pop()",
             "You forget the view that was added last. The one that is freed may be another: `remove(view)`."),
        slip("if other[3] == view[3] and ", "if ",
             "You go over the views of every memory: keep to those of the memory that the address is in."),
        slip("view[given] <= address < view[given] + view[2]", "view[given] <= address",
             "An address behind the end is taken for one of the view: look at its length too."),
        slip("self.other_side(device_address, 1, 0)", "self.other_side(device_address, 0, 1)",
             "`to_host` does not find the device's address that it is given: look among the device addresses of the "
             "views, and give the host's."),
        slip("self.other_side(host_address, 0, 1)", "self.other_side(host_address, 1, 0)",
             "`to_device` does not find the host address that it is given: look among the host addresses of the views, "
             "and give the device's."),
        slip("for other in (view, *self.views):", "for other in (view,):",
             "A view without the other side need not be the end: another view of the same memory may have it."),
        slip("+ address - view[given]", "+ view[given] - address",
             "The distance has the wrong sign: take the start away from the address."),
        slip(" + address - view[given]", "", "You give where the view begins: add how far into it the address is."),
        slip("view[given] is not None and ", "",
             "A view may have no address on that side, and `None` cannot be compared: look at that first."),
        slip("for other in (view, *self.views):", "for other in self.views:",
             "You take any view of the memory. The one that holds the address comes first, if it has the other side."),
        slip("address < view[given] + view[2]", "address <= view[given] + view[2]",
             "One past the end belongs to no view, or to the next one: compare with `<`."),
        slip("view[given] <= address", "view[given] < address",
             "The first address of a view belongs to it: compare it with `<=`."),
        slip(" and other[wanted] is not None", "",
             "The view that holds the address may have no other side, and `None` is not a number: look at that before "
             "you add."),
    ),
    cases=(
        harness.case("an address inside a view", 'book.add(5000, 70000, 64, "a")\nbook.to_host(70010)', 5010, False),
        harness.case("an address with another view of its memory",
              'book.add(5000, 70000, 64, "a")\nbook.add(None, 90000, 64, "a")\nbook.to_host(90010)',
              5010, False),
        harness.case("a host address", 'book.add(300, 8000, 16, "m")\nbook.add(100, 4000, 32, "n")\nbook.to_device(131)',
              4031),
        harness.case("the start of a view", 'book.add(300, 8000, 16, "m")\nbook.to_device(300)', 8000),
        harness.case("a freed view", 'view = book.add(5000, 70000, 64, "a")\nbook.free(view)\nbook.to_host(70000)', None),
        harness.case("an address given out again", 'old = book.add(5000, 70000, 64, "a")\nbook.free(old)\n'
              'book.add(6400, 70000, 32, "b")\nbook.to_host(70004)', 6404),
        harness.case("a freed view whose alias lives on",
              'one = book.add(5000, 70000, 64, "a")\nbook.add(2000, 80000, 64, "a")\nbook.free(one)\n'
              'book.to_device(2063)', 80063),
        harness.case("a view that lives on after another one was freed",
              'one = book.add(5000, 70000, 64, "a")\nbook.add(2000, 80000, 64, "b")\nbook.free(one)\n'
              'book.to_device(2063)', 80063),
        harness.case("the first of two views, freed", 'one = book.add(5000, 70000, 64, "a")\n'
              'book.add(2000, 80000, 64, "b")\nbook.free(one)\nbook.to_host(70000)', None),
        harness.case("two host views of one page", 'book.add(5000, 70000, 64, "p")\nbook.add(9000, 30000, 64, "p")\n'
              'book.to_host(30001)', 9001),
        harness.case("device memory with no host address at all",
              'book.add(None, 70000, 64, "d")\nbook.to_host(70001)', None),
        harness.case("device memory beside a view that has a host address",
              'book.add(40, 90, 8, "e")\nbook.add(None, 70000, 64, "d")\nbook.to_host(70001)', None),
        harness.case("a host address among views that have none", 'book.add(None, 70000, 64, "d")\nbook.add(40, 90, 8, "e")\n'
              'book.to_device(47)', 97),
        harness.case("a host address with no device address", 'book.add(40, None, 8, "e")\nbook.to_device(41)', None),
        harness.case("an address just before a view", 'book.add(40, 90, 8, "e")\nbook.to_host(89)', None),
        harness.case("one past the end of a view", 'book.add(40, 90, 8, "e")\nbook.to_host(98)', None)))

EXERCISES = (host_pointer, book)
