"""Lessons 01 to 03, exercises that are questions to the driver: what a number leads to, and what memory an address is of."""
from ..exercise import Case, Exercise, Mistake, slip
from . import asking_harness

SPY = """
def spy(make_secret, look):
    memory = cuda.mem_alloc(1000)
    address = int(memory)
    memory.free()
    make_secret()
    return look(address)
"""
IMPORTS = "import pycuda.driver as cuda\n"

spy = Exercise(
    id="spy", lesson="01", title="Read somebody else's memory", name="spy", minutes=6, sandboxed=True, run=asking_harness.spy,
    statement="""
A number does not keep memory. Use that. `make_secret()` allocates 1000 bytes of device memory with
`cuda.mem_alloc`, and fills them with a number that it does not tell. `look(address)` lets a kernel read the number at an
address. Write `spy(make_secret, look)`, which returns the secret: keep an address across a free. Both functions are handed
to you by the check, and your function calls them. Five lines are enough.

    spy(make_secret, look)      # 4711, where that is the secret
""",
    starter=IMPORTS + """
def spy(make_secret, look):
    '''The number that make_secret hides.'''
    ...         # about five lines
""",
    hints=("`int(memory)` is the address of an allocation, and `memory.free()` gives the memory back. What does the driver do "
           "with an address that came back, when somebody asks for as much?",
           "The address has to be free when the secret is made, and the size should be the secret's: then it fits for certain."),
    solution=IMPORTS + SPY,
    mistakes=(
        slip(IMPORTS + SPY, "    memory.free()\n", "",
             "The secret lies elsewhere: when it is made, memory of that size has to be free that was yours before. Allocate it "
             "and free it first, and keep the number."),
        slip(IMPORTS + SPY, "    make_secret()\n    return look(address)", "    found = look(address)\n    make_secret()\n    return found",
             "You look before there is a secret: what you find is what was there before."),
        slip(IMPORTS + SPY, "    make_secret()\n", "",
             "Nobody made a secret: call `make_secret()`, with its parentheses, before you look."),
        slip(IMPORTS + SPY, "mem_alloc(1000)", "mem_alloc(1 << 23)",
             "An allocation of another size leaves a gap of another size, and the secret may go elsewhere: ask for as much as "
             "it needs.",
             (IMPORTS + SPY).replace("mem_alloc(1000)", "mem_alloc(4)")),
        slip(IMPORTS + SPY, "    make_secret()\n    return look(address)", "    return look(int(make_secret()))",
             "`make_secret()` tells nothing, not even where the secret is. You have to know the address before: that of memory "
             "which was yours, and which you have freed.",
             (IMPORTS + SPY).replace("    make_secret()\n    return look(address)", "    return look(make_secret())")),
    ),
    cases=(Case("memory with nothing beside it", (4711, 0), "the secret", False, "spy(make_secret, look)"),
           Case("memory with another array beside it", (-3, 1), "the secret", True, "spy(make_secret, look)"),
           Case("memory with several arrays beside it", (2**31 - 1, 3), "the secret", True, "spy(make_secret, look)")))

BINDINGS = "from cuda.bindings import driver as cu\n"
IS_PINNED = BINDINGS + """
def is_pinned(address):
    error, kind = cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    return error == cu.CUresult.CUDA_SUCCESS and int(kind) == 1
"""

is_pinned = Exercise(
    id="is-pinned", lesson="03", title="Is it pinned?", name="is_pinned", minutes=6, sandboxed=True,
    cases=asking_harness.kinds_of_memory,
    statement="""
Somebody hands you an address. Write `is_pinned(address)`: `True` where the byte there is page-locked host memory (allocated
pinned, registered, or created on the host by lesson 05b's calls), and `False` for everything else. Ask the driver, by any
call of cuda-bindings; nothing may be raised for an address that it does not know. Some addresses are of kinds that lessons
05b and 06 bring: an attribute that lesson 01 asked for is right for them, too. Two or three lines are enough.

    is_pinned(address of pinned memory)     # True
    is_pinned(address of device memory)     # False
    is_pinned(address of pageable memory)   # False
""",
    starter=BINDINGS + """
def is_pinned(address):
    '''Is the byte at the address page-locked host memory?'''
    ...         # two or three lines
""",
    hints=("Every call of cuda-bindings returns an error first: `error, answer = cu....`. An error may be the answer.",
           "The forward call also answers for memory that is mapped at a reserved address, and HOST_POINTER for managed memory. "
           "Which attribute tells host memory from the rest?"),
    solution=IS_PINNED,
    mistakes=(
        Mistake(BINDINGS + "def is_pinned(address):\n    return cu.cuMemHostGetDevicePointer(address, 0)[0] == 0",
                "The forward call answers for memory mapped at a reserved address, too, and that lies on the device. "
                "(Not documented, and so on an H200.) Ask what kind of memory it is."),
        Mistake(BINDINGS + "def is_pinned(address):\n    return cu.cuMemHostGetFlags(address)[0] == 0",
                "`cuMemHostGetFlags` answers for managed memory, too, and for memory mapped at a reserved address. (Not "
                "documented, and so on an H200.) Ask what kind of memory it is."),
        Mistake(BINDINGS + "def is_pinned(address):\n    return cu.cuPointerGetAttribute("
                "cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER, address)[0] == 0",
                "Managed memory has a host pointer, too, and its pages move; memory on the host for the device alone is page-locked and "
                "has none. Ask what kind of memory it is."),
        Mistake(BINDINGS + """
def is_pinned(address):
    attribute = cu.CUpointer_attribute
    error, _ = cu.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER, address)
    _, managed = cu.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_IS_MANAGED, address)
    return error == cu.CUresult.CUDA_SUCCESS and not managed
""",
                "Memory that was created on the host has no host pointer while only the device may use it (lesson 05b). Ask what "
                "kind of memory it is."),
        Mistake(BINDINGS + "def is_pinned(address):\n    return cu.cuPointerGetAttribute("
                "cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)[0] == 0",
                "You ask whether the driver knows the address. It knows device memory as well: look at the answer, 1 for host "
                "memory."),
        Mistake(BINDINGS + "def is_pinned(address):\n    attribute = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER\n"
                "    error, (host,) = cu.cuPointerGetAttributes(1, [attribute], address)\n    return int(host) == address",
                "The plural call is the trap: for an address that the driver does not know it succeeds, and gives the address "
                "itself. Ask with the singular call."),
        slip(IS_PINNED, "int(kind) == 1", "int(kind) == 2",
             "2 is memory of the device. Of host memory MEMORY_TYPE is 1."),
        Mistake(BINDINGS + """
def is_pinned(address):
    error, = cu.cuMemHostRegister(address, 1, 0)
    if error == cu.CUresult.CUDA_SUCCESS:
        cu.cuMemHostUnregister(address)
    return error == cu.CUresult.CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
""",
                "You register to find out. Memory that the driver itself allocated is refused with another error, "
                "INVALID_VALUE, and is pinned all the same: do not try, ask what kind of memory it is.",
                (BINDINGS + "def is_pinned(address):\n    error, = cu.cuMemHostRegister(address, 1, 0)\n"
                 "    return error == cu.CUresult.CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",)),
        slip(IS_PINNED, "return error == cu.CUresult.CUDA_SUCCESS and int(kind) == 1", "return int(kind) == 1",
             "For an address that the driver does not know there is no answer, only an error: look at that first."),
        Mistake(BINDINGS + "def is_pinned(address):\n    error, start, size = cu.cuMemGetAddressRange(address)\n"
                "    return error == 0 and int(start) == address",
                "That finds the start of an allocation, of any kind. Every byte of pinned memory counts, and no other kind does."),
        slip(IS_PINNED, "return error == cu.CUresult.CUDA_SUCCESS and int(kind) == 1",
             "return not (error == cu.CUresult.CUDA_SUCCESS and int(kind) == 1)",
             "It is the other way round: a call that succeeds has an answer, and its error is 0.",
             BINDINGS + "def is_pinned(address):\n    return cu.cuMemHostGetDevicePointer(address, 0)[0] != 0",
             BINDINGS + "def is_pinned(address):\n    return cu.cuMemHostGetFlags(address)[0] != 0"),
        Mistake(BINDINGS + "def is_pinned(address):\n    return cu.cuMemHostGetFlags(address) == 0",
                "It is `False` every time. A call of cuda-bindings returns a tuple, with the error first: is it `[0]` of that "
                "which you compare?"),
    ))

EDGES = BINDINGS + """
def edges(address):
    first = last = address
    while cu.cuMemHostGetDevicePointer(first - 1, 0)[0] == cu.CUresult.CUDA_SUCCESS:
        first -= 1
    while cu.cuMemHostGetDevicePointer(last + 1, 0)[0] == cu.CUresult.CUDA_SUCCESS:
        last += 1
    return first, last
"""

edges = Exercise(
    id="edges", lesson="03", title="The edges of an allocation", name="edges", minutes=8, sandboxed=True, run=asking_harness.edges,
    statement="""
`cuMemHostGetDevicePointer` answers for every byte of allocated pinned memory, and for none beside it. So it can find out
how far an allocation reaches. Write `edges(address)`: the addresses of the first and the last byte of the pinned memory
that `address` lies in. The memory has a few thousand bytes, and other pinned memory lies near it, with a gap between. Six
lines are enough. (Pointer attributes tell it, too: any way that gives the right addresses counts.)

    edges(address of byte 10 of 1000)      # (address of byte 0, address of byte 999)
""",
    starter=BINDINGS + """
def edges(address):
    '''(address of the first byte, address of the last byte)'''
    ...         # about six lines
""",
    hints=("Go down from the address as long as the call succeeds, and up in the same way.",
           "Steps of more than one byte may jump over the gap, into the memory of somebody else."),
    solution=EDGES,
    mistakes=(
        slip(EDGES, "return first, last", "return first, last + 1",
             "That is one past the end: the last byte is the last one for which the call succeeds."),
        slip(EDGES, "return first, last", "return first, last - first + 1",
             "The second is to be an address, not a length."),
        slip(EDGES, "    first = last = address\n    while cu.cuMemHostGetDevicePointer(first - 1, 0)[0] == cu.CUresult.CUDA_SUCCESS:\n"
             "        first -= 1\n", "    first = last = address\n",
             "`address` may lie anywhere in the memory: go down as well, until the call fails."),
        slip(EDGES, "(first - 1, 0)", "(first, 0)",
             "Your first address is one too low: ask about `first - 1` before you go there."),
        Mistake(EDGES.replace("first - 1, 0", "first - 512, 0").replace("last + 1, 0", "last + 512, 0")
                .replace("first -= 1", "first -= 512").replace("last += 1", "last += 512"),
                "Your steps are larger than a byte: they stop short of the edge, or jump over the gap. Go byte by byte.",
                tuple(EDGES.replace("first - 1", f"first - {n}").replace("last + 1, 0", f"last + {n}, 0")
                      .replace("first -= 1", f"first -= {n}").replace("last += 1", f"last += {n}")
                      for n in (2, 4, 8, 16, 32, 64, 128, 256))),
        Mistake(EDGES.replace("    first = last = address\n", """    first = last = address
    for step in (512, 64, 8):
        while cu.cuMemHostGetDevicePointer(first - step, 0)[0] == cu.CUresult.CUDA_SUCCESS:
            first -= step
        while cu.cuMemHostGetDevicePointer(last + step, 0)[0] == cu.CUresult.CUDA_SUCCESS:
            last += step
"""),
                "You went over the gap, into memory of somebody else. Go byte by byte, from the address itself: no larger "
                "steps at first, and no rounding to the start of a page."),
        Mistake(EDGES.replace(")[0] ==", ") =="),
                "You get no step away from `address`. The call returns a tuple, with the error first, `[0]`: does each loop "
                "compare that, and go by single bytes?"),
        slip(EDGES, "    while cu.cuMemHostGetDevicePointer(last + 1, 0)[0] == cu.CUresult.CUDA_SUCCESS:\n        last += 1\n", "",
             "`address` may lie anywhere in the memory: go up as well, until the call fails."),
        Mistake(EDGES.replace("first - 1, 0", "first, 0").replace("last + 1, 0", "last, 0"),
                "Both are one byte outside: they are the first addresses for which the call fails."),
        slip(EDGES, "return first, last", "return last, first", "The first byte comes first, then the last one."),
    ),
    cases=(Case("byte 10 of 1000 bytes", (1000, 10), (0, 999), False, "edges(start + 10), less start"),
           Case("the first byte of 1000", (1000, 0), (0, 999), True, "edges(start), less start"),
           Case("the last byte of 1000", (1000, 999), (0, 999), True, "edges(start + 999), less start"),
           Case("byte 1234 of 3000 bytes", (3000, 1234), (0, 2999), True, "edges(start + 1234), less start"),
           Case("a single byte", (1, 0), (0, 0), True, "edges(start), less start")))

REGISTER = BINDINGS + """
def register_anyway(address, nbytes):
    START = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR
    for page in range(address, address + nbytes, 4096):
        error, start = cu.cuPointerGetAttribute(START, page)
        if error == cu.CUresult.CUDA_SUCCESS:
            cu.cuMemHostUnregister(int(start))
    return cu.cuMemHostRegister(address, nbytes, 0)[0].name
"""

register_anyway = Exercise(
    id="stale-registration", lesson="02", title="A registration that nobody knows of", name="register_anyway", minutes=8,
    sandboxed=True, run=asking_harness.register_anyway,
    statement="""
An array was deleted while it was registered, and another one got its pages: `cuMemHostRegister` answers
`HOST_MEMORY_ALREADY_REGISTERED`. The array is gone, and the registration is not. Write `register_anyway(address, nbytes)`:
it takes back every old registration of these pages, whatever its start and length, and then registers the whole range.
`cuMemHostUnregister` wants the address that was registered; the pointer attribute `RANGE_START_ADDR` of any registered byte
tells it. `address` and `nbytes` are multiples of 4096 here, and what is registered was registered in whole pages. Six lines
are enough.

    register_anyway(address, 3 * 4096)      # afterwards the three pages are registered, as one range
""",
    starter=BINDINGS + """
def register_anyway(address, nbytes):
    '''Register the range, and take back what stands in the way.'''
    ...         # about six lines
""",
    hints=("`cuMemHostUnregister` wants the address that was registered. Of a page within, the attribute `RANGE_START_ADDR` tells "
           "the start; where nothing is registered it is an error.",
           "There may be several old registrations, and pages between them that have none: ask about each page."),
    solution=REGISTER,
    mistakes=(
        Mistake(BINDINGS + "def register_anyway(address, nbytes):\n    cu.cuMemHostRegister(address, nbytes, 0)",
                "Where an old registration stands in the way the call does nothing but say so. Look at the error, and take "
                "back the old one first."),
        Mistake(BINDINGS + "def register_anyway(address, nbytes):\n    cu.cuMemHostUnregister(address)\n"
                "    cu.cuMemHostRegister(address, nbytes, 0)",
                "The old registration may begin elsewhere, before your address or behind it: ask the driver where, by "
                "`RANGE_START_ADDR`."),
        slip(REGISTER, "    for page in range(address, address + nbytes, 4096):", "    for page in (address,):",
             "There may be an old registration further on, that does not reach your first page: ask about every page."),
        slip(REGISTER, "    return cu.cuMemHostRegister(address, nbytes, 0)[0].name", "    return 'done'",
             "The range is not registered at the end. Take back what stands in the way, and then register it."),
        slip(REGISTER, "cu.cuMemHostUnregister(int(start))", "cu.cuMemHostUnregister(page)",
             "`cuMemHostUnregister` wants the address that was registered, not a page within: the attribute tells it."),
        slip(REGISTER, "address + nbytes, 4096)", "address + nbytes + 1, 4096)",
             "You take back a registration beside these pages, too, and somebody may still need it: ask about these pages only.",
             BINDINGS + "def register_anyway(address, nbytes):\n    for page in range(address - 8192, address + 20480, 4096):\n"
             "        cu.cuMemHostUnregister(page)\n    cu.cuMemHostRegister(address, nbytes, 0)"),
        slip(REGISTER, "    return cu.cuMemHostRegister(address, nbytes, 0)[0].name",
             "    for page in range(address, address + nbytes, 4096):\n        cu.cuMemHostRegister(page, 4096, 0)",
             "You register each page by itself. The whole range is to be registered at once, as one range."),
        slip(REGISTER, "        if error == cu.CUresult.CUDA_SUCCESS:\n            cu.cuMem", "        cu.cuMem",
             "Where nothing is registered there is no answer, only an error: look at that before you use the start."),
    ),
    cases=tuple(Case(what, (stale,), "registered, as one range", hidden, "register_anyway(start + 8192, 12288)")
                for what, stale, hidden in (
                    ("pages that nobody registered", (), False), ("pages that are registered already", ((2, 3),), False),
                    ("an old range that begins there, and is shorter", ((2, 1),), True), ("an old range that begins before", ((0, 3),), True), ("an old range that ends behind", ((4, 4),), True),
                    ("an old range within", ((3, 1),), True), ("two old ranges, with a free page between", ((1, 2), (4, 2)), True),
                    ("one old range around all", ((0, 8),), True), ("an old range beside it, which stays", ((6, 2),), True),
                    ("old ranges that touch it, which stay", ((1, 1), (5, 2)), True))))
