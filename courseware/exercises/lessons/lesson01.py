"""Lesson 01, Addresses from Python: where an array is, where its elements are, and who may go there."""
import re

from course_lib.core.ownership import current_context

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
from cuda.bindings import driver as cu

from ..exercise import Case, Exercise, Mistake, slip
from ..values import Told, same
from . import asking
from .table_kind import cases_of, choice, options_of, starter_of
from .watching import watched

IMPORTS = "import numpy as np\nimport pycuda.driver as cuda\n"
WHERE_IS = """
def where_is(x):
    if hasattr(x, "__array_interface__"):
        return "host", x.ctypes.data
    if hasattr(x, "__cuda_array_interface__"):
        return "device", x.__cuda_array_interface__["data"][0]
    if hasattr(x, "int_ptr"):
        return "handle", x.int_ptr
    return "device", int(x)
"""


class LikeNumba:
    """What Numba's device arrays and CuPy's arrays have in common: the CUDA array interface."""

    def __init__(self, address):
        self.__cuda_array_interface__ = {"shape": (3,), "typestr": "<f4", "data": (address, False), "strides": None,
                                         "version": 3}


class LikeOpenCL:
    """What a PyOpenCL buffer has: `int_ptr`, the handle of an OpenCL object."""

    def __init__(self, handle):
        self.int_ptr, self.size = handle, 64


def _where(answer, x, number):
    """The answer with its number judged: no address gets out."""
    got = answer(x)
    if not isinstance(got, (tuple, list, np.ndarray)) or len(got) != 2:
        return "a number alone" if isinstance(got, (int, np.integer)) and not isinstance(got, bool) else got
    return got[0], _number(got[1], x, number)


def _number(got, x, number):
    """What was given as the number, in words: the right one, which other one, or something else."""
    if same(got, number):
        return "the right number"
    if isinstance(got, (int, np.integer)) and not isinstance(got, bool):
        return "the number id(x)" if got == id(x) else "another number"
    if isinstance(got, (int, float, str)):
        return f"a {type(got).__name__} and no int"
    if isinstance(got, tuple):
        return "a pair"
    return f"an object of type {type(got).__name__} and no int"


def _where_cases(stack):
    current_context()
    host, on_device = np.arange(12, dtype="float32"), gpuarray.zeros(12, "float32")
    allocation = cuda.mem_alloc(64)

    def case(what, x, side, number, hidden, call):
        return Case(what, (x, int(number)), (side, "the right number"), hidden, f"where_is({call})")
    yield case("a NumPy array", host, "host", host.ctypes.data, False, "np.arange(12)")
    yield case("a PyCUDA allocation", allocation, "device", allocation, False, "cuda.mem_alloc(64)")
    yield case("a PyOpenCL buffer", LikeOpenCL(94021), "handle", 94021, False, "an object with int_ptr")
    yield case("a part of a NumPy array", host[5:], "host", host.ctypes.data + 20, True, "np.arange(12)[5:]")
    yield case("a NumPy array of two dimensions, turned", host.reshape(3, 4).T, "host", host.ctypes.data, True,
               "np.arange(12).reshape(3, 4).T")
    yield case("a PyCUDA array", on_device, "device", on_device.gpudata, True, "gpuarray.zeros(12, 'float32')")
    yield case("a part of a PyCUDA array", on_device[3:], "device", int(on_device.gpudata) + 12, True,
               "gpuarray.zeros(12, 'float32')[3:]")
    yield case("an array of Numba or CuPy", LikeNumba(7340032), "device", 7340032, True,
               "an object with __cuda_array_interface__")


where_is = Exercise(
    id="where-is", lesson="01", title="Where is it?", name="where_is", minutes=8, run=_where, cases=_where_cases,
    statement="""
Three libraries, one question. Write `where_is(x)`, which returns a side and a number: `("host", address)` for a NumPy
array; `("device", address)` for a PyCUDA allocation and for everything that has `__cuda_array_interface__` (PyCUDA's,
Numba's and CuPy's arrays; the side is then the one whose code is given the number); `("handle", x.int_ptr)` for a
PyOpenCL buffer, whose `int_ptr` is a handle and no address. The number is that of the first element. Seven lines are enough.

    where_is(numbers)               # ("host", numbers.ctypes.data), of a NumPy array
    where_is(cuda.mem_alloc(64))    # ("device", int(...))
""",
    starter="""
def where_is(x):
    '''("host", address), ("device", address), or ("handle", number).'''
    ...         # about seven lines
""",
    hints=("`hasattr(x, \"...\")` tells the kinds apart. A PyCUDA allocation has none of the attributes; it is a "
           "number itself.",
           "`x.ctypes.data` for NumPy, `x.__cuda_array_interface__[\"data\"][0]` for arrays on the device, `int(x)` "
           "for an allocation."),
    solution=WHERE_IS,
    mistakes=(
        slip(WHERE_IS, "x.ctypes.data", "id(x)",
             "`id(x)` is where Python keeps the object that describes the array. Its elements are elsewhere: "
             "`x.ctypes.data`.",
             "def where_is(x):\n    return 'host', id(x)"),
        slip(WHERE_IS, "x.ctypes.data", "x.data",
             "`x.data` of a NumPy array is a memoryview, which shows the elements, and no number. The address is "
             "`x.ctypes.data`."),
        slip(WHERE_IS, "x.ctypes.data", "x.__array_interface__[\"data\"]",
             "`__array_interface__[\"data\"]` is a pair: the address, and whether it may only be read. Take the "
             "first."),
        slip(WHERE_IS, "x.ctypes.data", "x.ctypes.data // x.itemsize",
             "An address counts bytes: do not divide it, or multiply it, by the size of an element.",
             WHERE_IS.replace("x.ctypes.data", "x.ctypes.data + x.itemsize")),
        slip(WHERE_IS, "x.ctypes.data", "hex(x.ctypes.data)",
             "Return the number as an `int`, not as text or a float: `x.ctypes.data` is an `int`.",
             WHERE_IS.replace("x.ctypes.data", "str(x.ctypes.data)"),
             WHERE_IS.replace("x.ctypes.data", "float(x.ctypes.data)")),
        slip(WHERE_IS, "return \"host\", x.ctypes.data", "return x.ctypes.data",
             "You return the number alone. Two things are asked for, the side and the number: "
             "`return \"host\", x.ctypes.data`.",
             WHERE_IS.replace('"host", ', "").replace('"device", ', "").replace('"handle", ', ""),
             WHERE_IS.replace('return "device", ', "return ")),
        slip(WHERE_IS, "\"host\", x.ctypes.data", "x.ctypes.data, \"host\"",
             "The side comes first, and then the number.",
             "\n".join(re.sub(r"return (\S+), (.*)", r"return \2, \1", line) for line in WHERE_IS.splitlines())),
        slip(WHERE_IS, "\"host\"", "\"device\"",
             "A NumPy array is in the host's memory: its side is \"host\".",
             WHERE_IS.replace('"host"', '"cpu"'), WHERE_IS.replace('"host"', '"numpy"')),
        slip(WHERE_IS, "return \"device\", int(x)", "return \"device\", x",
             "You return the allocation itself. Its address is the number that `int(x)` makes of it."),
        slip(WHERE_IS, "\"handle\", x.int_ptr", "\"device\", x.int_ptr",
             "`int_ptr` is not an address: it is OpenCL's handle of the buffer, and no kernel can follow it. Its side is "
             "\"handle\".",
             WHERE_IS.replace("\"handle\", x.int_ptr", "\"host\", x.int_ptr")),
        slip(WHERE_IS, "\"host\", x.ctypes.data", "\"host\", (x if x.base is None else x.base).ctypes.data",
             "For a part of an array you give the start of the whole. A view has an address of its own: "
             "`x.ctypes.data`."),
        slip(WHERE_IS, """    if hasattr(x, "__cuda_array_interface__"):
        return "device", x.__cuda_array_interface__["data"][0]
""", "",
             "`int(x)` is good for an allocation. An array is not a number, whichever library made it: ask its "
             "`__cuda_array_interface__`."),
        slip(WHERE_IS, """    if hasattr(x, "__cuda_array_interface__"):
        return "device", x.__cuda_array_interface__["data"][0]
""", """    if hasattr(x, "gpudata"):
        return "device", int(x.gpudata)
""",
             "Only PyCUDA's arrays have `gpudata` and `ptr`. Numba's and CuPy's have what all of them have: "
             "`__cuda_array_interface__`.",
             WHERE_IS.replace("__cuda_array_interface__\"", "gpudata\"")
             .replace("x.__cuda_array_interface__[\"data\"][0]",
                                                                             "x.ptr"),
             WHERE_IS.replace("x.__cuda_array_interface__[\"data\"][0]", "x.ptr"),
             WHERE_IS.replace("x.__cuda_array_interface__[\"data\"][0]", "int(x.gpudata)")),
        slip(WHERE_IS, """    if hasattr(x, "int_ptr"):
        return "handle", x.int_ptr
""", "",
             "You pass over the PyOpenCL buffer, which is not a number and has no `int(x)`: ask for `int_ptr`, and give "
             "its handle.",
             WHERE_IS.replace("return \"handle\", x.int_ptr", "return \"handle\", int(x)")),
        slip(WHERE_IS, "[\"data\"][0]", "[\"data\"]",
             "`[\"data\"]` is a pair: the address, and whether it may only be read. Take the first."),
        slip(WHERE_IS, "return \"device\", int(x)", "return \"device\", x.ptr",
             "An allocation has no `ptr`, only arrays have. It is a number itself: `int(x)`."),
    ))

READ = IMPORTS + """
def read_element(array, row, column):
    interface = array.__cuda_array_interface__
    found = np.empty(1, interface["typestr"])
    strides = interface["strides"] or (interface["shape"][1] * found.itemsize, found.itemsize)
    cuda.memcpy_dtoh(found, interface["data"][0] + row * strides[0] + column * strides[1])
    return found[0]
"""
ADDRESS = 'interface["data"][0] + row * strides[0] + column * strides[1]'
ROOM, START = 1 << 14, 1 << 12      # bytes around an array, and before it: a wrong address may be any of theirs
GAP = 99                            # what is there


class OnDevice:
    """An array on the device of which no more is known than its interface."""

    def __init__(self, address, shape, kind, strides):
        self.__cuda_array_interface__ = {"shape": shape, "typestr": np.dtype(kind).str, "data": (address, False),
                                         "strides": strides, "version": 3}


def _read_element(answer, shape, kind, strides, row, column):
    """What `answer` reads of an array whose elements are 10 * row + column, and whether it copies more than that."""
    current_context()
    around = np.full(ROOM // np.dtype(kind).itemsize, GAP, kind)
    steps = strides or (shape[1] * around.itemsize, around.itemsize)
    shown = np.ndarray(shape, kind, around, START, steps)
    shown[:] = np.add.outer(10 * np.arange(shape[0]), np.arange(shape[1]))
    memory = cuda.to_device(around)
    array = OnDevice(int(memory) + START, shape, kind, strides)
    with (watched(answer, cuda, "memcpy_dtoh", "memcpy_dtoh_async") as copies,
          watched(answer, cu, "cuMemcpyDtoH") as others):
        got = answer(array, row, column)
    if same(got, shown[row, column]):
        copied = sum(memoryview(arguments[0]).nbytes for _, arguments, _ in copies)
        return got if copied <= around.itemsize else Told("the element, and the bytes of others were copied as well")
    if isinstance(got, (int, np.integer)) and abs(int(got) - int(memory)) < ROOM:
        return Told("an address")
    return got if copies or others else Told("a number, without any copy")


read_element = Exercise(
    id="read-element", lesson="01", title="Read one element", name="read_element", minutes=8, sandboxed=True,
    run=_read_element,
    statement="""
Another library hands you an array on the device. It has two dimensions, and all that you know of it is its
`__cuda_array_interface__`. Write `read_element(array, row, column)`, which copies that one element to the host and
returns it. `"data"` is a pair whose first is the address, `"typestr"` a type as NumPy takes it, and `"strides"` the
bytes from one row to the next and from one column to the next, or `None` where the rows follow each other without
gaps. The elements here are 10 * row + column. Five lines are enough.

    read_element(array, 0, 2)       # 2
    read_element(array, 1, 3)       # 13
""",
    starter=IMPORTS + """
def read_element(array, row, column):
    '''The element in a row and a column, which are counted from 0.'''
    interface = array.__cuda_array_interface__
    ...         # about four lines
""",
    hints=("`np.empty(1, interface[\"typestr\"])` has room for one element, and knows its `itemsize`. "
           "`cuda.memcpy_dtoh(to, address)` fills it: an address is a number.",
           "The address is the start, `row` times the first stride, and `column` times the second. Without strides, "
           "a row "
           "takes as many bytes as its elements together."),
    solution=READ,
    mistakes=(
        slip(READ, "(interface[\"shape\"][1] * found.itemsize, found.itemsize)", "(interface[\"shape\"][1], 1)",
             "You count elements where bytes are wanted: multiply by the size of an element.",
             READ.replace(ADDRESS, "interface['data'][0] + row * interface['shape'][1] + column"),
             READ.replace("* found.itemsize, found", "* found.itemsize, 1 or found"),
             READ.replace("[1] * found.itemsize", "[1]")),
        slip(READ, "[\"shape\"][1]", "[\"shape\"][0]",
             "From one row to the next it is a whole row: as many elements as there are columns, not rows."),
        slip(READ, "interface[\"strides\"] or ", "",
             "You pass over the strides that the array has. Rows may have gaps between them: use `\"strides\"` unless "
             "it is `None`."),
        slip(READ, " or (interface[\"shape\"][1] * found.itemsize, found.itemsize)", "",
             "`\"strides\"` may be `None`: then the rows follow each other without gaps, and you work the strides out "
             "from shape and size."),
        slip(READ, "interface[\"data\"][0] + ", "",
             "You give how far into the array the element is, and nothing is there. Add where the array begins: "
             "`interface[\"data\"][0]`."),
        slip(READ, "interface[\"data\"][0]", "interface[\"data\"]",
             "`\"data\"` is a pair: the address, and whether it may only be read. Take the first."),
        slip(READ, "interface[\"typestr\"]", "np.float32",
             "The copy fills an array of another type. What the bytes mean is in `\"typestr\"`: use it for the array "
             "that they are copied to.",
             READ.replace('interface["typestr"]', '"int32"'),
             READ.replace('(1, interface["typestr"])', "1")),
        slip(READ, " + column * strides[1]", " + column * found.itemsize",
             "From one column to the next it is the second stride, and that need not be the size of an element."),
        slip(READ, "row * strides[0] + column * strides[1]", "column * strides[0] + row * strides[1]",
             "Rows and columns are exchanged: the first stride is for rows."),
        slip(READ, "row * strides[0] + column * strides[1]",
             "found.itemsize * (row * strides[0] + column * strides[1])",
             "Strides are in bytes already: do not multiply them by the size of an element.",
             READ.replace("(interface[\"shape\"][1] * found.itemsize, found.itemsize)", "(interface[\"shape\"][1], 1)")
             .replace("row * strides[0] + column * strides[1]",
                      "found.itemsize * (row * strides[0] + column * strides[1])")),
        slip(READ, "row * strides[0] + column * strides[1]", "(row - 1) * strides[0] + (column - 1) * strides[1]",
             "Rows and columns are counted from 0: row 0 is the first, and nothing is to be taken away."),
        slip(READ, f"    cuda.memcpy_dtoh(found, {ADDRESS})\n", "",
             "Nothing is copied: what you return is what happened to be in the host's memory.",
             READ.replace("np.empty", "np.zeros").replace(f"    cuda.memcpy_dtoh(found, {ADDRESS})\n", "")),
        slip(READ, "return found[0]", f"return {ADDRESS}",
             "You return the address. It leads to device memory: the element has to be copied to the host from there."),
        Mistake(IMPORTS + """
def read_element(array, row, column):
    interface = array.__cuda_array_interface__
    strides = interface["strides"] or np.empty(interface["shape"], interface["typestr"]).strides
    found = np.empty(row * strides[0] + column * strides[1] + 16, np.uint8)
    cuda.memcpy_dtoh(found, interface["data"][0])
    at = row * strides[0] + column * strides[1]
    return found[at:].view(interface["typestr"])[0] if found[at:].nbytes % 8 == 0 else None
""",
                "Right, but you copy more than the element. Work out its address, and copy from there what one element "
                "takes."),
    ),
    cases=tuple(Case(what, (shape, kind, strides, row, column), expected, hidden,
                     f"read_element(array, {row}, {column})")
                for what, shape, kind, strides, row, column, expected, hidden in (
        ("an element of the first row of 3 by 5 numbers", (3, 5), "float32", None, 0, 2, 2.0, False),
        ("an element inside 3 by 5 numbers", (3, 5), "float32", None, 1, 3, 13.0, False),
        ("rows of 4 with gaps between them", (7, 4), "float64", (512, 8), 5, 3, 53.0, True),
        ("an array that is stored column by column", (6, 9), "int16", (2, 12), 4, 7, 47, True),
        ("the last row of 8 by 3 bytes", (8, 3), "uint8", None, 7, 1, 71, True),
        ("every second column of an array", (4, 5), "int32", (40, 8), 3, 4, 34, True),
        ("the first element of all", (5, 2), "int64", (64, 8), 0, 0, 0, True))))

FOLLOW = """
follow = {
    "the host reads through the address of pinned memory": "the value",
    "a kernel reads through the address of pinned memory": "the value",
    "the host reads through the address of device memory": "SIGSEGV",
    "a kernel reads through the null pointer": "ILLEGAL_ADDRESS",
    "cuMemAlloc, after a kernel read through the null pointer": "ILLEGAL_ADDRESS",
    "cuMemcpyDtoH from the null pointer": "INVALID_VALUE",
}
"""

follow = Exercise(
    id="follow", lesson="01", title="Who may follow which address?", name="follow", kind="table", minutes=4,
    options=options_of(FOLLOW), run=choice(options_of(FOLLOW)), cases=cases_of(FOLLOW),
    statement="""
Every address is a number, and anybody may try to follow it. What happens? Put one of `"the value"`, `"SIGSEGV"`,
`"ILLEGAL_ADDRESS"` and `"INVALID_VALUE"` behind each question of the table. Most of it you have seen; try the
rest in the sandbox.
""",
    starter=starter_of(FOLLOW),
    hints=("Three different things can say no: the operating system ends a process (SIGSEGV), the device ends a "
           "kernel (ILLEGAL_ADDRESS), and a call of the driver looks at its arguments first (INVALID_VALUE).",
           "A kernel's wrong access breaks CUDA for its process: most later calls give the same error, in a new context too."),
    solution=FOLLOW,
    mistakes=(
        slip(FOLLOW, 'device memory": "SIGSEGV"', 'device memory": "ILLEGAL_ADDRESS"',
             "ILLEGAL_ADDRESS is the device's word. When the host follows an address, no CUDA call is made: the "
             "operating system answers."),
        slip(FOLLOW, 'device memory": "SIGSEGV"', 'device memory": "INVALID_VALUE"',
             "No call is made that could return an error: reading through an address is one instruction of the CPU. "
             "Try it in the sandbox."),
        slip(FOLLOW, 'kernel reads through the null pointer": "ILLEGAL_ADDRESS"',
             'kernel reads through the null pointer": "SIGSEGV"',
             "SIGSEGV is for the process, when the CPU follows an address. Here the device does."),
        slip(FOLLOW, 'after a kernel read through the null pointer": "ILLEGAL_ADDRESS"',
             'after a kernel read through the null pointer": "the value"',
             "The kernel has broken CUDA for its process: most later calls get its error, however innocent."),
        slip(FOLLOW, 'after a kernel read through the null pointer": "ILLEGAL_ADDRESS"',
             'after a kernel read through the null pointer": "INVALID_VALUE"',
             "Nothing is wrong with this call's own arguments. It repeats the error that the kernel left."),
        slip(FOLLOW, 'from the null pointer": "INVALID_VALUE"', 'from the null pointer": "ILLEGAL_ADDRESS"',
             "The copy is not even begun: the driver looks the address up first. Nothing breaks."),
        slip(FOLLOW, 'kernel reads through the address of pinned memory": "the value"',
             'kernel reads through the address of pinned memory": "ILLEGAL_ADDRESS"',
             "Pinned memory is the memory that both may follow: lesson 00's kernel did.",
             *(FOLLOW.replace('kernel reads through the address of pinned memory": "the value"',
                              f'kernel reads through the address of pinned memory": "{word}"')
               for word in ("SIGSEGV", "INVALID_VALUE"))),
        slip(FOLLOW, 'host reads through the address of pinned memory": "the value"',
             'host reads through the address of pinned memory": "SIGSEGV"',
             "Pinned memory is ordinary memory of the process, and the host reads it as any other. Locked pages stay "
             "where they are.",
             *(FOLLOW.replace('host reads through the address of pinned memory": "the value"',
                              f'host reads through the address of pinned memory": "{word}"')
               for word in ("ILLEGAL_ADDRESS", "INVALID_VALUE"))),
        slip(FOLLOW, 'device memory": "SIGSEGV"', 'device memory": "the value"',
             "The host has no way to device memory without a copy: its page table has no entry there. Try it in the "
             "sandbox."),
        slip(FOLLOW, 'kernel reads through the null pointer": "ILLEGAL_ADDRESS",\n    "cuMemAlloc',
             'kernel reads through the null pointer": "the value",\n    "cuMemAlloc',
             "Nothing is at address 0, on the device as on the host: the read ends the kernel."),
        slip(FOLLOW, 'kernel reads through the null pointer": "ILLEGAL_ADDRESS",\n    "cuMemAlloc',
             'kernel reads through the null pointer": "INVALID_VALUE",\n    "cuMemAlloc',
             "INVALID_VALUE is a call's answer to its arguments. A kernel that runs makes no call when it reads."),
        slip(FOLLOW, 'after a kernel read through the null pointer": "ILLEGAL_ADDRESS"',
             'after a kernel read through the null pointer": "SIGSEGV"',
             "The process lives on after a kernel's wrong access. What is broken is CUDA in this process, and most calls "
             "say so."),
        slip(FOLLOW, 'from the null pointer": "INVALID_VALUE"', 'from the null pointer": "SIGSEGV"',
             "The host does not follow the address itself: it hands the number to the driver, which looks it up "
             "first."),
        slip(FOLLOW, 'from the null pointer": "INVALID_VALUE"', 'from the null pointer": "the value"',
             "No memory is at address 0, so there is nothing to copy. The driver finds that out before it begins."),
    ))

EXERCISES = (where_is, read_element, asking.spy, follow)
