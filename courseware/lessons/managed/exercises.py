"""Exercises of "Memory that moves": places page by page, advice, and what the host may touch."""
from ...exercises.exercise import Case, Exercise, Instead, Mistake, change, slip
from . import harness

last_places = Exercise(
    id="last-places", title="Page by page", name="last_places", minutes=5, sandboxed=True,
    run=harness.last_places,
    statement="""
Write `last_places(address, pages)`: for each of the pages of 4096 bytes that begin at `address`, where it was last
prefetched to: `"device"`, `"host"`, or `None` for never. The call
`cu.cuMemRangeGetAttribute(4, LAST, address, nbytes)` returns an error and a number: the number of a device (here 0),
-1 for the host, or -2 for none. It gives one number for the whole range, and -2 where its pages differ. Five lines
are enough.

    last_places(address, 3)     # ["device", None, "host"]
""",
    hints=("One call for each page: where does page 1 begin, and how long is it?",
           "The device's number is 0, which counts as false in an `if`. Compare with -1 and -2."),
    mistakes=(
        slip("address + page * 4096, 4096)", "address, pages * 4096)",
             "You ask about all pages at once, and get one answer for all: none, where they differ. Ask about one page "
             "at a time."),
        slip('{-1: "host", -2: None}.get(place, "device")', '"host" if place < 0 else "device"',
             "There are two negative numbers: -1 is the host, and -2 says that there was no prefetch."),
        slip('{-1: "host", -2: None}.get(place, "device")', '"host" if place == -1 else "device" if place else None',
             "The device has the number 0, and that counts as false. Compare with -1 and -2.",
             change('{-1: "host", -2: None}.get(place, "device")',
                    '"device" if place == 1 else "host" if place == -1 else None')),
        slip('{-1: "host", -2: None}', '{-2: "host", -1: None}',
             "You have exchanged two numbers: -1 is the host, -2 none."),
        slip("address + page * 4096", "address + page",
             "Your steps are too small, and you stay in the first page: page `n` begins `n * 4096` bytes further on.",
             change("address + page * 4096", "address"), change("page * 4096, 4096", "page * 512, 512")),
        slip("LAST_PREFETCH_LOCATION", "PREFERRED_LOCATION",
             "You get none nearly every time. Is it `LAST` that you ask for, and do your ranges have 4096 bytes?",
             change("page * 4096, 4096", "page * 65536, 65536")),
        slip("address + page * 4096, 4096)", "address, (page + 1) * 4096)",
             "Your ranges all begin at the first page, and grow. Where their pages differ the answer is none: ask "
             "about each page by itself."),
        slip("range(pages)", "range(1, pages)", "The first page is missing: it has the number 0."),
        slip("address + page * 4096, 4096)", "address + page * 4096, 8192)",
             "Your ranges have two pages, and the answer is for both together: 4096 bytes are one page."),
        slip("range(pages)", "range(1, pages + 1)",
             "You are a page too far each time: the first page begins at `address` itself."),
        slip('{-1: "host", -2: None}.get(place, "device")', '{-1: "device", -2: None}.get(place, "host")',
             "You have exchanged host and device: -1 is the host, and a device's number is 0 or more."),
    ),
    cases=(Case("three pages that differ", ("D.H", 0), ["device", None, "host"], False, "last_places(address, 3)"),
           Case("a single page", ("H", 0), ["host"], False, "last_places(address, 1)"),
           Case("pages within an allocation", ("HHD.", 5), ["host", "host", "device", None], True, "last_places(address, 4)"),
           Case("pages that nobody prefetched", ("..", 0), [None, None], True, "last_places(address, 2)"),
           Case("the last pages of an allocation", ("DH.D", 508), ["device", "host", None, "device"], True,
                "last_places(address, 4)"),
           Case("pages with one place for all", ("DDD", 2), ["device"] * 3, True, "last_places(address, 3)"),
           Case("pages that change places often", (".DH.HD", 1), [None, "device", "host", None, "host", "device"], True,
                "last_places(address, 6)")))

own_pages = Exercise(
    id="own-pages", title="Advice for one's own pages", name="advise_table", minutes=6, sandboxed=True,
    run=harness.advise_table,
    statement="""
A table lies in a large managed allocation, between data of others. Kernels will read it again and again, and other
code writes its own data. Advice for one byte holds for its whole page. Write `advise_table(address, nbytes)`: it
gives the advice `"read_mostly"` for those pages of which *every* byte belongs to the table, and for no other. There
may be none. `managed.PAGE` is 4096, and `managed.advise((start, size), "read_mostly")` takes at least one byte. Four
lines are enough.

    advise_table(start of page 0, 8192)                 # advises pages 0 and 1
    advise_table(byte 100 of page 0, 12288)             # advises pages 1 and 2
""",
    hints=("Round the start up to the start of a page, and the end down.",
           "`address // managed.PAGE * managed.PAGE` rounds down. When is nothing left between the two?"),
    mistakes=(
        Mistake(Instead("""\
def advise_table(address, nbytes):
    managed.advise((address, nbytes), "read_mostly")
"""), "That advises every page that the table touches. The first and the last may hold data of others, too."),
        slip("-(-address // managed.PAGE) * managed.PAGE", "address // managed.PAGE * managed.PAGE",
             "You round the start down, into a page that begins with data of others: round it up.",
             change("-(-address // managed.PAGE) * managed.PAGE", "address")),
        slip("(address + nbytes) // managed.PAGE * managed.PAGE",
             "-(-(address + nbytes) // managed.PAGE) * managed.PAGE",
             "You round the end up, into a page that ends with data of others: round it down.",
             change("(address + nbytes) // managed.PAGE * managed.PAGE", "address + nbytes")),
        slip("-(-address // managed.PAGE) * managed.PAGE", "(address // managed.PAGE + 1) * managed.PAGE",
             "Where the table begins with a page, that page is its own: do not go on to the next one."),
        slip("    if first < end:\n        managed", "    managed",
             "A table may have no page for itself. Then there is nothing to advise, and a range of no bytes, or fewer, "
             "is refused: look first.", change("if first < end", "if first <= end"),
             change("if first < end", "if nbytes >= managed.PAGE")),
        slip("end - first)", "nbytes // managed.PAGE * managed.PAGE)",
             "You count as many pages as fit into `nbytes`, from the rounded start on: that may reach over the table's "
             "end. Round the end, too.", change("end - first)", "nbytes)"), Instead("""\
def advise_table(address, nbytes):
    first = -(-address // managed.PAGE) * managed.PAGE
    size = nbytes // managed.PAGE * managed.PAGE
    if size:
        managed.advise((first, size), 'read_mostly')
""")),
        slip('"read_mostly"', '"preferred_location"',
             'That is other advice, or a prefetch. What is asked for is `"read_mostly"`, alone.',
             change('"read_mostly"', '"accessed_by"'),
             change('managed.advise((first, end - first), "read_mostly")', "managed.prefetch((first, end - first))")),
        slip("managed.advise", "managed.withdraw",
             "In the end no page is advised: `managed.advise` gives advice, and `withdraw` takes it back."),
        slip("(first, end - first)", "(first, managed.PAGE)",
             "You advise one page, and there may be more: the size is what lies between the rounded start and the "
             "rounded end."),
        slip("(address + nbytes) // managed.PAGE * managed.PAGE",
             "((address + nbytes) // managed.PAGE - 1) * managed.PAGE",
             "The last page that is wholly the table's is missing: the end of the table, rounded down, is where it "
             "stops."),
        slip("(first, end - first)", "(first, end)",
             "Managed memory is named by its start and its *size*, not by its start and its end."),
    ),
    cases=(Case("two whole pages", (0, 8192), [0, 1], False, "advise_table(start of page 0, 8192)"),
           Case("12288 bytes from byte 100 on", (100, 12288), [1, 2], False, "advise_table(byte 100 of page 0, 12288)"),
           Case("one whole page", (4096, 4096), [1], True, "advise_table(start of page 1, 4096)"),
           Case("a page's length that is shared between two pages", (1, 4096), [], True, "advise_table(byte 1 of page 0, 4096)"),
           Case("a table that ends with a page", (4000, 8288), [1, 2], True, "advise_table(byte 4000 of page 0, 8288)"),
           Case("100 bytes at the start of a page", (8192, 100), [], True, "advise_table(start of page 2, 100)"),
           Case("50 bytes within a page", (100, 50), [], True, "advise_table(byte 100 of page 0, 50)"),
           Case("a page, and 904 bytes of the next", (0, 5000), [0], True, "advise_table(start of page 0, 5000)"),
           Case("a byte of one page and all of the next", (4095, 4097), [1], True, "advise_table(byte 4095 of page 0, 4097)"),
           Case("two pages' length over three pages", (2048, 8192), [1], True, "advise_table(byte 2048 of page 0, 8192)"),
           Case("five pages further on", (12288, 20480), [3, 4, 5, 6, 7], True, "advise_table(start of page 3, 20480)")))

host_may_touch = Exercise(
    id="host-may-touch", title="May the host use it now?", name="host_may_touch", minutes=4, sandboxed=True,
    cases=harness.kinds_of_memory,
    statement="""
Write `host_may_touch(address, kernel_runs, concurrent)` for an address that CUDA knows: `True` where the host may
read and write there now, else `False`. `kernel_runs` says whether a kernel is running, and `concurrent` is the
device's `CONCURRENT_MANAGED_ACCESS`. Managed memory here is attached to everybody, and no memory is for reading
alone. Ask the driver what the address is; five lines are enough.

    host_may_touch(address of managed memory, True, True)       # True
    host_may_touch(address of managed memory, True, False)      # False
    host_may_touch(address of device memory, False, True)       # False
""",
    hints=("Two questions to the driver: is there a host pointer (`HOST_POINTER`), and is it managed (`IS_MANAGED`)?",
           "Of the memory that has a host pointer, only one kind is ever forbidden, and only if two things come "
           "together."),
    mistakes=(
        Mistake(Instead("""\
def host_may_touch(address, kernel_runs, concurrent):
    return cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_HOST_POINTER, address)[0] == 0
"""),
                "Managed memory has a host pointer at any time. Where `concurrent` is not given, the host may not use "
                "it while a kernel runs."),
        slip("is_managed and kernel_runs and not concurrent", "is_managed and kernel_runs",
             "You forbid managed memory whenever a kernel runs. Where the device is concurrent, both may use it."),
        slip("is_managed and kernel_runs and not concurrent", "kernel_runs",
             "You forbid all memory whenever a kernel runs. Pinned and registered memory the host may always use, and "
             "managed memory where the device is concurrent."),
        slip("is_managed and kernel_runs and not concurrent", "is_managed and not concurrent",
             "You forbid managed memory on a device that is not concurrent, even while no kernel runs."),
        slip("is_managed and kernel_runs and not concurrent", "kernel_runs and not concurrent",
             "Only managed memory is meant: pinned and registered memory stay where they are, and the host may always "
             "use them."),
        Mistake(Instead("""\
def host_may_touch(address, kernel_runs, concurrent):
    error, kind = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    return error == 0 and int(kind) == 1
"""),
                "The memory type of managed memory is 2, as of device memory, and still the host may use it. Ask for "
                "`HOST_POINTER` instead."),
        Mistake(Instead("""\
def host_may_touch(address, kernel_runs, concurrent):
    _, is_managed = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_IS_MANAGED, address)
    if is_managed:
        return concurrent or not kernel_runs
    return cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)[1] == cu.CUmemorytype.CU_MEMORYTYPE_HOST
"""),
                "Memory type 1 says that it lies on the host, not that the host may use it: memory can be created "
                "there for the device alone (lesson 10). Ask for `HOST_POINTER`."),
        Mistake(Instead("""\
def host_may_touch(address, kernel_runs, concurrent):
    return not kernel_runs or concurrent
"""), "You look at the state alone. It depends on the memory, too: ask the driver what the address is."),
        Mistake(Instead("""\
def host_may_touch(address, kernel_runs, concurrent):
    error, is_managed = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_IS_MANAGED, address)
    return not (is_managed and kernel_runs and not concurrent)
"""), "Device memory has no host pointer, and the host may never use it: ask for `HOST_POINTER` as well."),
        Mistake(Instead("""\
def host_may_touch(address, kernel_runs, concurrent):
    return cu.cuMemHostGetDevicePointer(address, 0)[0] == 0
"""),
                "The forward call refuses managed memory, and answers for memory on the device that is mapped at a "
                "reserved address. The question is `HOST_POINTER`."),
        slip("return not (is_managed and kernel_runs and not concurrent)",
             "return is_managed and kernel_runs and not concurrent",
             "It is the other way round: that is when the host may *not* use it."),
        slip("is_managed and kernel_runs and not concurrent", "is_managed and kernel_runs and concurrent",
             "You have `concurrent` the wrong way round: where it is given, host and kernels may use managed memory "
             "together."),
        slip("not (is_managed and kernel_runs and not concurrent)",
             "bool(is_managed and (concurrent or not kernel_runs))",
             "Managed memory is judged rightly, and pinned and registered memory are forgotten: they have a host "
             "pointer too, and the host may always use them."),
    ))

EXERCISES = (last_places, own_pages, host_may_touch)
