"""Exercises of "Registered memory": what registering answers, and registrations that nobody knows of."""
from ...exercises.exercise import Case, Exercise, Instead, Mistake, change, slip
from . import harness

answer_of = Exercise(
    id="leave-no-trace", title="What cudaHostRegister answers", name="answer_of", minutes=5, sandboxed=True,
    run=harness.answer_of, cases=harness.ranges,
    statement="""
Can a range be registered? Nobody keeps a list for you, so try it. Write `answer_of(address, nbytes)`: the name of
what the driver answers when it is asked to register that range, such as `"CUDA_SUCCESS"`. Leave no trace: what was
not registered before is not registered afterwards, and what somebody else had registered still is. Four lines are
enough.

    answer_of(address, 4096)    # "CUDA_SUCCESS" where nobody registered it
    answer_of(address, 8192)    # "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" where somebody did
""",
    hints=("`cu.cuMemHostRegister(address, nbytes, 0)` returns a tuple with the error alone, and `error.name` is its "
           "name.",
           "Which registrations are yours to undo? Only those that you made: look at the error before you unregister."),
    mistakes=(
        slip("""\
    if error == cu.CUresult.CUDA_SUCCESS:
        cu.cuMemHostUnregister(address)
""",
             "", "The range stays registered: where the call succeeded, undo it by `cuMemHostUnregister`."),
        slip("""\
    if error == cu.CUresult.CUDA_SUCCESS:
        cu.cuMemHostUnregister(address)
""",
             "    cu.cuMemHostUnregister(address)\n",
             "You take back a registration that is not yours: somebody registered that range before, and may still "
             "need it. Unregister only where your own call succeeded."),
        slip("error, = cu", "error = cu",
             "A call of cuda-bindings returns a tuple, also where the error is all that is in it: `error, = ...`."),
        slip("return error.name", "return error", "You return the error itself. Its name is asked for: `error.name`.",
             change("return error.name", "return int(error)")),
        slip("""\
    if error == cu.CUresult.CUDA_SUCCESS:
        cu.cuMemHostUnregister(address)
""",
             "    error, = cu.cuMemHostUnregister(address)\n",
             "You return what *unregistering* answers. Keep the answer of the first call."),
        slip("cu.CUresult.CUDA_SUCCESS:", "cu.CUresult.CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED:",
             "It is the other way round: you undo what somebody else registered, and leave your own."),
        Mistake(Instead("""\
def answer_of(address, nbytes):
    error, flags = cu.cuMemHostGetFlags(address)
    return "CUDA_SUCCESS" if error else "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"
"""),
                "You ask about one byte, and guess what registering would answer. The range may be registered further "
                "on, or refused for another reason: try it."),
        slip("error.name", 'error.name.removeprefix("CUDA_").removeprefix("ERROR_")',
             "The whole name is asked for, as the driver has it: it begins with `CUDA_`."),
        slip("(address, nbytes, 0)", "(address, 4096, 0)", "You always register 4096 bytes: `nbytes` says how many."),
    ))

register_anyway = Exercise(
    id="stale-registration", title="A registration that nobody knows of", name="register_anyway", minutes=8,
    sandboxed=True, run=harness.register_anyway,
    statement="""
An array was deleted while it was registered, and another one got its pages: `cuMemHostRegister` answers
`HOST_MEMORY_ALREADY_REGISTERED`. The array is gone, and the registration is not. Write
`register_anyway(address, nbytes)`: it takes back every old registration of these pages, whatever its start and
length, and then registers the whole range. `cuMemHostUnregister` wants the address that was registered; the pointer
attribute `RANGE_START_ADDR` of any registered byte tells it. `address` and `nbytes` are multiples of 4096 here, and
what is registered was registered in whole pages. Six lines are enough.

    register_anyway(address, 3 * 4096)      # afterwards the three pages are registered, as one range
""",
    hints=("`cuMemHostUnregister` wants the address that was registered. Of a page within, the attribute "
           "`RANGE_START_ADDR` tells the start; where nothing is registered it is an error.",
           "There may be several old registrations, and pages between them that have none: ask about each page."),
    mistakes=(
        Mistake(Instead("""\
def register_anyway(address, nbytes):
    cu.cuMemHostRegister(address, nbytes, 0)
"""),
                "Where an old registration stands in the way the call does nothing but say so. Look at the error, and "
                "take back the old one first."),
        Mistake(Instead("""\
def register_anyway(address, nbytes):
    cu.cuMemHostUnregister(address)
    cu.cuMemHostRegister(address, nbytes, 0)
"""),
                "The old registration may begin elsewhere, before your address or behind it: ask the driver where, by "
                "`RANGE_START_ADDR`."),
        slip("    for page in range(address, address + nbytes, 4096):", "    for page in (address,):",
             "There may be an old registration further on, that does not reach your first page: ask about every page."),
        slip("    return cu.cuMemHostRegister(address, nbytes, 0)[0].name", "    return 'done'",
             "The range is not registered at the end. Take back what stands in the way, and then register it."),
        slip("cu.cuMemHostUnregister(int(start))", "cu.cuMemHostUnregister(page)",
             "`cuMemHostUnregister` wants the address that was registered, not a page within: the attribute tells it."),
        slip("address + nbytes, 4096)", "address + nbytes + 1, 4096)",
             "You take back a registration beside these pages, too, and somebody may still need it: ask about these "
             "pages only.", Instead("""\
def register_anyway(address, nbytes):
    for page in range(address - 8192, address + 20480, 4096):
        cu.cuMemHostUnregister(page)
    cu.cuMemHostRegister(address, nbytes, 0)
""")),
        slip("    return cu.cuMemHostRegister(address, nbytes, 0)[0].name", """\
    for page in range(address, address + nbytes, 4096):
        cu.cuMemHostRegister(page, 4096, 0)""",
             "You register each page by itself. The whole range is to be registered at once, as one range."),
        slip("        if error == cu.CUresult.CUDA_SUCCESS:\n            cu.cuMem", "        cu.cuMem",
             "Where nothing is registered there is no answer, only an error: look at that before you use the start."),
    ),
    cases=tuple(Case(what, (stale,), "registered, as one range", hidden, "register_anyway(start + 8192, 12288)")
                for what, stale, hidden in (
                    ("pages that nobody registered", (), False),
                    ("pages that are registered already", ((2, 3),), False),
                    ("an old range that begins there, and is shorter", ((2, 1),), True),
                    ("an old range that begins before", ((0, 3),), True),
                    ("an old range that ends behind", ((4, 4),), True), ("an old range within", ((3, 1),), True),
                    ("two old ranges, with a free page between", ((1, 2), (4, 2)), True),
                    ("one old range around all", ((0, 8),), True),
                    ("an old range beside it, which stays", ((6, 2),), True),
                    ("old ranges that touch it, which stay", ((1, 1), (5, 2)), True))))


register_order = Exercise(
    id="register-order", title="A registered array, from first to last", name="order", kind="order", minutes=4,
    run=harness.put_in_order, cases=harness.order_cases, lines=harness.LINES,
    statement="""
An ordinary array is at the address `host`. These calls lock its pages, copy them to the device as device memory is
copied, and give everything back. The lines are in no order: find one that works. The check makes the calls in your
order, so that the driver itself answers; more than one order is right.
""",
    hints=("Each line uses something that another one makes: `device`, `target`, or the registration.",
           "Only registered memory has a device pointer, and both memories are needed until the copy is made."),
    mistakes=(
        Mistake("translate register allocate copy free unregister",
                "Before it is registered the array is pageable, and pageable memory has no device pointer to ask for: "
                "register it first."),
        Mistake("register allocate copy translate free unregister",
                "The copy needs the device's address of the array, which comes from `translate`."),
        Mistake("register translate allocate unregister copy free",
                "By then one of the copy's two addresses leads nowhere: unregistered, the array is pageable again; "
                "freed, the target is gone. Copy before either.",
                also=("register translate allocate free copy unregister\n",)),
        Mistake("register unregister translate allocate copy free",
                "Unregistered, the array is pageable again, and has no device pointer to ask for. Ask while it is "
                "registered."),
        Mistake("register translate free allocate copy unregister",
                "There is nothing to free yet: allocate the target first."),
        Mistake("allocate free unregister register translate copy",
                "What is not registered cannot be unregistered: the driver answers NOT_REGISTERED."),
        Mistake("register translate copy allocate free unregister",
                "There is nothing to copy to yet: allocate the target first."),
    ))

EXERCISES = (answer_of, register_anyway, register_order)
