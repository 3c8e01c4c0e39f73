"""Lesson 01, Addresses from Python: where an array is, where its elements are, and who may go there."""
import re

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray

from ...core.ownership import current_context
from ..exercise import Case, Exercise, slip
from ..values import same
from . import asking
from .table_kind import cases_of, choice, options_of, starter_of

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
Numba's and CuPy's arrays); `("handle", x.int_ptr)` for a PyOpenCL buffer, whose `int_ptr` is a handle and no address.
The number is that of the first element. Seven lines are enough.

    where_is(np.arange(12))         # ("host", np.arange(12).ctypes.data)
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
             "The number is wanted as an `int`, and no text or float: `x.ctypes.data` is one.",
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
             "`int_ptr` is no address: it is OpenCL's handle of the buffer, and no kernel can follow it. Its side is "
             "\"handle\".",
             WHERE_IS.replace("\"handle\", x.int_ptr", "\"host\", x.int_ptr")),
        slip(WHERE_IS, "\"host\", x.ctypes.data", "\"host\", (x if x.base is None else x.base).ctypes.data",
             "For a part of an array you give the start of the whole. A view has an address of its own: "
             "`x.ctypes.data`."),
        slip(WHERE_IS, """    if hasattr(x, "__cuda_array_interface__"):
        return "device", x.__cuda_array_interface__["data"][0]
""", "",
             "`int(x)` is good for an allocation. An array is no number, whatever library made it: ask its "
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
             "You pass over the PyOpenCL buffer, which is no number and has no `int(x)`: ask for `int_ptr`, and give "
             "its handle.",
             WHERE_IS.replace("return \"handle\", x.int_ptr", "return \"handle\", int(x)")),
        slip(WHERE_IS, "[\"data\"][0]", "[\"data\"]",
             "`[\"data\"]` is a pair: the address, and whether it may only be read. Take the first."),
        slip(WHERE_IS, "return \"device\", int(x)", "return \"device\", x.ptr",
             "An allocation has no `ptr`, only arrays have. It is a number itself: `int(x)`."),
    ))

ELEMENT = """
def element_address(interface, row, column):
    itemsize = int(interface["typestr"][2:])
    rows, columns = interface["shape"]
    strides = interface["strides"] or (columns * itemsize, itemsize)
    return interface["data"][0] + row * strides[0] + column * strides[1]
"""
PLAIN = {"data": (4096, False), "typestr": "<f4", "shape": (3, 5), "strides": None}
PITCHED = {"data": (81920, False), "typestr": "<f8", "shape": (7, 4), "strides": (512, 8)}
FORTRAN = {"data": (300, True), "typestr": "<i2", "shape": (6, 9), "strides": (2, 12)}

COMPLEX = {"data": (640, False), "typestr": "<c16", "shape": (4, 2), "strides": None}


def _random_element(source):
    rows, columns = source.randint(2, 9), source.randint(2, 9)
    kind, size = source.choice([("|u", 1), ("<i", 2), ("<f", 4), ("<i", 8), ("<c", 16)])
    strides = source.choice([None, None, (columns * size + source.choice([0, 8, 64]), size), (size, rows * size)])
    interface = {"data": (source.randrange(1, 1000) * 64, source.random() < 0.5), "strides": strides,
                 "typestr": f"{kind}{size}", "shape": (rows, columns)}
    return interface, source.randrange(rows), source.randrange(columns)


element = Exercise(
    id="element-address", lesson="01", title="The address of an element", name="element_address", minutes=7,
    statement="""
`__cuda_array_interface__` says all that is needed to find any element. Write `element_address(interface, row,
column)` for an array of two dimensions. `"data"` is a pair whose first is the address; `"typestr"` ends with the size
of an element in bytes; `"strides"` are the bytes from one row to the next and from one column to the next, or `None`
where the rows follow each other without gaps. Four lines are enough.

    x = {"data": (4096, False), "typestr": "<f4", "shape": (3, 5), "strides": None}
    element_address(x, 0, 2)        # 4104
    element_address(x, 1, 0)        # 4116
""",
    starter="""
def element_address(interface, row, column):
    '''The address of the element in a row and a column.'''
    ...         # about four lines
""",
    hints=("`int(interface[\"typestr\"][2:])` is the size of an element. Without strides, a row takes as many bytes "
           "as its elements together.",
           "The address is the start, `row` times the first stride, and `column` times the second. Strides are in "
           "bytes."),
    solution=ELEMENT,
    mistakes=(
        slip(ELEMENT, "(columns * itemsize, itemsize)", "(columns, 1)",
             "You count elements where bytes are wanted: multiply by the size of an element.",
             "def element_address(interface, row, column):\n"
             "    return interface['data'][0] + row * interface['shape'][1] + column",
             ELEMENT.replace("(columns * itemsize, itemsize)", "(columns * itemsize, 1)"),
             ELEMENT.replace("(columns * itemsize, itemsize)", "(columns, itemsize)")),
        slip(ELEMENT, "(columns * itemsize,", "(rows * itemsize,",
             "From one row to the next it is a whole row: as many elements as there are columns, not rows.",
             ELEMENT.replace("rows, columns =", "columns, rows =")),
        slip(ELEMENT, "interface[\"strides\"] or ", "",
             "You pass over the strides that the array has. Rows may have gaps between them: use `\"strides\"` unless "
             "it is `None`."),
        slip(ELEMENT, "interface[\"strides\"] or (columns * itemsize, itemsize)", "interface[\"strides\"]",
             "`\"strides\"` may be `None`: then the rows follow each other without gaps, and you work the strides out "
             "from shape and size."),
        slip(ELEMENT, "interface[\"data\"][0] + ", "",
             "You give how far into the array the element is. Add where the array begins: `interface[\"data\"][0]`."),
        slip(ELEMENT, "interface[\"data\"][0]", "interface[\"data\"]",
             "`\"data\"` is a pair: the address, and whether it may only be read. Take the first."),
        slip(ELEMENT, "int(interface[\"typestr\"][2:])", "4",
             "Not every element has 4 bytes: the size is at the end of `\"typestr\"`.",
             ELEMENT.replace('int(interface["typestr"][2:])', "8")),
        slip(ELEMENT, " + column * strides[1]", " + column * itemsize",
             "From one column to the next it is the second stride, and that need not be the size of an element."),
        slip(ELEMENT, "row * strides[0]", "row * columns * itemsize",
             "From one row to the next it is the first stride, which may be more or less than the bytes of a row."),
        slip(ELEMENT, "int(interface[\"typestr\"][2:])", "int(interface[\"typestr\"][1:])",
             "`\"typestr\"` begins with two letters, as in `<f4`: the size begins behind them, at `[2:]`."),
        slip(ELEMENT, "int(interface[\"typestr\"][2:])", "int(interface[\"typestr\"][-1])",
             "The size of an element may have two digits, as in `<c16`: take all that is behind the two letters."),
        slip(ELEMENT, "row * strides[0] + column * strides[1]", "(row - 1) * strides[0] + (column - 1) * strides[1]",
             "Rows and columns are counted from 0: row 0 is the first, and nothing is to be taken away.",
             ELEMENT.replace("row * strides[0] + column * strides[1]",
                             "(row + 1) * strides[0] + (column + 1) * strides[1]"),
             ),
        slip(ELEMENT, "row * strides[0] + column * strides[1]", "column * strides[0] + row * strides[1]",
             "Rows and columns are exchanged: the first stride is for rows."),
        slip(ELEMENT, "row * strides[0] + column * strides[1]", "itemsize * (row * strides[0] + column * strides[1])",
             "Strides are in bytes already: do not multiply them by the size of an element."),
    ),
    cases=(Case("an element of the first row", (PLAIN, 0, 2), 4104),
           Case("the first element of the second row", (PLAIN, 1, 0), 4116),
           Case("an element inside the array", (PLAIN, 2, 3), 4148, True),
           Case("rows with gaps between them", (PITCHED, 5, 3), 84504, True),
           Case("an array that is stored column by column", (FORTRAN, 4, 7), 392, True),
           Case("elements of 16 bytes", (COMPLEX, 3, 1), 7 * 16 + 640, True),
           Case("the first element of all", (PITCHED, 0, 0), 81920, True)),
    random_case=_random_element)

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
`"ILLEGAL_ADDRESS"` and `"INVALID_VALUE"` behind each question of the table. You have seen all of it in the sandbox,
or can try it there.
""",
    starter=starter_of(FOLLOW),
    hints=("Three different things can say no: the operating system ends a process (SIGSEGV), the device ends a "
           "kernel (ILLEGAL_ADDRESS), and a call of the driver looks at its arguments first (INVALID_VALUE).",
           "A kernel's wrong access breaks the context. Every later call in it gives the same error again."),
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
             "The context is broken by the kernel: look at the innocent call once more."),
        slip(FOLLOW, 'after a kernel read through the null pointer": "ILLEGAL_ADDRESS"',
             'after a kernel read through the null pointer": "INVALID_VALUE"',
             "Nothing is wrong with this call's own arguments. It repeats the error that broke the context."),
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
             "The process lives on after a kernel's wrong access. What is broken is the context, and every call in it "
             "says so."),
        slip(FOLLOW, 'from the null pointer": "INVALID_VALUE"', 'from the null pointer": "SIGSEGV"',
             "The host does not follow the address itself: it hands the number to the driver, which looks it up "
             "first."),
        slip(FOLLOW, 'from the null pointer": "INVALID_VALUE"', 'from the null pointer": "the value"',
             "No memory is at address 0, so there is nothing to copy. The driver finds that out before it begins."),
    ))

EXERCISES = (where_is, element, asking.spy, follow)
