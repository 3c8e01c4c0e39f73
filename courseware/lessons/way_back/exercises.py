"""Exercises of "The way back": which memory an address is of, and how far that reaches."""
from ...exercises.exercise import Case, Exercise, Instead, Mistake, change, slip
from . import harness

edges = Exercise(
    id="edges", title="The edges of an allocation", name="edges", minutes=8, sandboxed=True, run=harness.edges,
    statement="""
`cuMemHostGetDevicePointer` answers for every byte of allocated pinned memory, and for none beside it. So it can find
out how far an allocation reaches. Write `edges(address)`: the addresses of the first and the last byte of the pinned
memory that `address` lies in. The memory has a few thousand bytes, and other pinned memory lies near it, with a gap
between. Six lines are enough. (Pointer attributes tell it, too: any way that gives the right addresses counts.)

    edges(address of byte 10 of 1000)      # (address of byte 0, address of byte 999)
""",
    hints=("Go down from the address as long as the call succeeds, and up in the same way.",
           "Steps of more than one byte may jump over the gap, into the memory of somebody else."),
    mistakes=(
        slip("return first, last", "return first, last + 1",
             "That is one past the end: the last byte is the last one for which the call succeeds."),
        slip("return first, last", "return first, last - first + 1", "The second is to be an address, not a length."),
        slip("""\
    while cu.cuMemHostGetDevicePointer(first - 1, 0)[0] == cu.CUresult.CUDA_SUCCESS:
        first -= 1
""",
             "", "`address` may lie anywhere in the memory: go down as well, until the call fails."),
        slip("(first - 1, 0)", "(first, 0)",
             "Your first address is one too low: ask about `first - 1` before you go there."),
        Mistake(change("first - 1, 0", "first - 512, 0", "last + 1, 0", "last + 512, 0", "first -= 1", "first -= 512",
                       "last += 1", "last += 512"),
                "Your steps are larger than a byte: they stop short of the edge, or jump over the gap. Go byte by byte.",
                also=tuple(change("first - 1", f"first - {n}", "last + 1, 0", f"last + {n}, 0",
                                  "first -= 1", f"first -= {n}", "last += 1", f"last += {n}")
                           for n in (2, 4, 8, 16, 32, 256))),
        slip("    first = last = address\n", """\
    first = last = address
    for step in (512, 64, 8):
        while cu.cuMemHostGetDevicePointer(first - step, 0)[0] == cu.CUresult.CUDA_SUCCESS:
            first -= step
        while cu.cuMemHostGetDevicePointer(last + step, 0)[0] == cu.CUresult.CUDA_SUCCESS:
            last += step
""",
             "You went over the gap, into memory of somebody else. Go byte by byte, from the address itself: no larger "
             "steps at first, and no rounding to the start of a page."),
        slip(")[0] ==", ") ==",
             "You get no step away from `address`. The call returns a tuple, with the error first, `[0]`: does each "
             "loop compare that, and go by single bytes?"),
        slip("""\
    while cu.cuMemHostGetDevicePointer(last + 1, 0)[0] == cu.CUresult.CUDA_SUCCESS:
        last += 1
""",
             "", "`address` may lie anywhere in the memory: go up as well, until the call fails."),
        Mistake(change("first - 1, 0", "first, 0", "last + 1, 0", "last, 0"),
                "Both are one byte outside: they are the first addresses for which the call fails."),
        slip("return first, last", "return last, first", "The first byte comes first, then the last one."),
    ),
    cases=(Case("byte 10 of 1000 bytes", (1000, 10), (0, 999), False, "edges(start + 10), less start"),
           Case("the first byte of 1000", (1000, 0), (0, 999), True, "edges(start), less start"),
           Case("the last byte of 1000", (1000, 999), (0, 999), True, "edges(start + 999), less start"),
           Case("byte 1234 of 3000 bytes", (3000, 1234), (0, 2999), True, "edges(start + 1234), less start"),
           Case("a single byte", (1, 0), (0, 0), True, "edges(start), less start")))

is_pinned = Exercise(
    id="is-pinned", title="Is it pinned?", name="is_pinned", minutes=6, sandboxed=True,
    cases=harness.kinds_of_memory,
    statement="""
Somebody hands you an address. Write `is_pinned(address)`: `True` where the byte there is page-locked host memory
(allocated pinned, registered, or created on the host by lesson 10's calls), and `False` for everything else. Ask the
driver, by any call of cuda-bindings; nothing may be raised for an address that it does not know. Some addresses are
of kinds that lessons 10 and 11 bring: an attribute that lesson 01 asked for is right for them, too. Two or three
lines are enough.

    is_pinned(address of pinned memory)     # True
    is_pinned(address of device memory)     # False
    is_pinned(address of pageable memory)   # False
""",
    hints=("Every call of cuda-bindings returns an error first: `error, answer = cu....`. An error may be the answer.",
           "The forward call also answers for memory that is mapped at a reserved address, and HOST_POINTER for "
           "managed memory. Which attribute tells host memory from the rest?"),
    mistakes=(
        Mistake(Instead("""\
def is_pinned(address):
    return cu.cuMemHostGetDevicePointer(address, 0)[0] == 0
"""),
                "The forward call answers for memory mapped at a reserved address, too, and that lies on the device. "
                "(Not documented, and so on an H200.) Ask what kind of memory it is."),
        Mistake(Instead("""\
def is_pinned(address):
    return cu.cuMemHostGetFlags(address)[0] == 0
"""),
                "`cuMemHostGetFlags` answers for managed memory, too, and for memory mapped at a reserved address. "
                "(Not documented, and so on an H200.) Ask what kind of memory it is."),
        Mistake(Instead("""\
def is_pinned(address):
    return cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER, address)[0] == 0
"""),
                "Managed memory has a host pointer, too, and its pages move; memory on the host for the device alone "
                "is page-locked and has none. Ask what kind of memory it is."),
        Mistake(Instead("""\
def is_pinned(address):
    attribute = cu.CUpointer_attribute
    error, _ = cu.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER, address)
    _, managed = cu.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_IS_MANAGED, address)
    return error == cu.CUresult.CUDA_SUCCESS and not managed
"""),
                "Memory that was created on the host has no host pointer while only the device may use it (lesson 10). "
                "Ask what kind of memory it is."),
        Mistake(Instead("""\
def is_pinned(address):
    return cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)[0] == 0
"""),
                "You ask whether the driver knows the address. It knows device memory as well: look at the answer, 1 "
                "for host memory."),
        Mistake(Instead("""\
def is_pinned(address):
    attribute = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER
    error, (host,) = cu.cuPointerGetAttributes(1, [attribute], address)
    return int(host) == address
"""),
                "The plural call is the trap: for an address that the driver does not know it succeeds, and gives the "
                "address itself. Ask with the singular call."),
        slip("int(kind) == 1", "int(kind) == 2", "2 is memory of the device. Of host memory MEMORY_TYPE is 1."),
        Mistake(Instead("""\
def is_pinned(address):
    error, = cu.cuMemHostRegister(address, 1, 0)
    if error == cu.CUresult.CUDA_SUCCESS:
        cu.cuMemHostUnregister(address)
    return error == cu.CUresult.CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
"""),
                "You register to find out. Memory that the driver itself allocated is refused with another error, "
                "INVALID_VALUE, and is pinned all the same: do not try, ask what kind of memory it is."),
        slip("return error == cu.CUresult.CUDA_SUCCESS and int(kind) == 1", "return int(kind) == 1",
             "For an address that the driver does not know there is no answer, only an error: look at that first."),
        Mistake(Instead("""\
def is_pinned(address):
    error, start, size = cu.cuMemGetAddressRange(address)
    return error == 0 and int(start) == address
"""), "That finds the start of an allocation, of any kind. Every byte of pinned memory counts, and no other kind does."),
        slip("return error == cu.CUresult.CUDA_SUCCESS and int(kind) == 1",
             "return not (error == cu.CUresult.CUDA_SUCCESS and int(kind) == 1)",
             "It is the other way round: a call that succeeds has an answer, and its error is 0."),
        Mistake(Instead("def is_pinned(address):\n    return cu.cuMemHostGetFlags(address) == 0\n"),
                "It is `False` every time. A call of cuda-bindings returns a tuple, with the error first: is it `[0]` "
                "of that which you compare?"),
    ))

EXERCISES = (edges, is_pinned)
