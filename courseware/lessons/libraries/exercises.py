"""Exercises of "Three libraries": where another library's array is."""
from ...exercises.exercise import Exercise, change, slip
from . import harness

where_is = Exercise(
    id="where-is", title="Where is it?", name="where_is", minutes=8, run=harness.where, cases=harness.kinds_of_array,
    statement="""
Three libraries, one question. Write `where_is(x)`, which returns a side and a number: `("host", address)` for a NumPy
array; `("device", address)` for a PyCUDA allocation and for everything that has `__cuda_array_interface__` (PyCUDA's,
Numba's and CuPy's arrays; the side is then the one whose code is given the number); `("handle", x.int_ptr)` for a
PyOpenCL buffer, whose `int_ptr` is a handle and no address. The number is that of the first element. Seven lines are
enough.

    where_is(numbers)               # ("host", numbers.ctypes.data), of a NumPy array
    where_is(cuda.mem_alloc(64))    # ("device", int(...))
""",
    hints=('`hasattr(x, "...")` tells the kinds apart. A PyCUDA allocation has none of the attributes; it is a number '
           'itself.',
           '`x.ctypes.data` for NumPy, `x.__cuda_array_interface__["data"][0]` for arrays on the device, `int(x)` for '
           'an allocation.'),
    mistakes=(
        slip("x.ctypes.data", "id(x)",
             "`id(x)` is where Python keeps the object that describes the array. Its elements are elsewhere: "
             "`x.ctypes.data`.", "def where_is(x):\n    return 'host', id(x)\n"),
        slip("x.ctypes.data", "x.data",
             "`x.data` of a NumPy array is a memoryview, which shows the elements, and no number. The address is "
             "`x.ctypes.data`."),
        slip("x.ctypes.data", 'x.__array_interface__["data"]',
             '`__array_interface__["data"]` is a pair: the address, and whether it may only be read. Take the first.'),
        slip("x.ctypes.data", "x.ctypes.data // x.itemsize",
             "An address counts bytes: do not divide it, or multiply it, by the size of an element.",
             change("x.ctypes.data", "x.ctypes.data + x.itemsize")),
        slip("x.ctypes.data", "hex(x.ctypes.data)",
             "Return the number as an `int`, not as text or a float: `x.ctypes.data` is an `int`.",
             change("x.ctypes.data", "float(x.ctypes.data)")),
        slip('return "host", x.ctypes.data', "return x.ctypes.data",
             'You return the number alone. Two things are asked for, the side and the number: `return "host", '
             'x.ctypes.data`.', change('"host", ', "", '"device", ', "", '"handle", ', ""),
             change('return "device", ', "return ")),
        slip('"host", x.ctypes.data', 'x.ctypes.data, "host"', "The side comes first, and then the number.", """\
def where_is(x):
    if hasattr(x, "__array_interface__"):
        return x.ctypes.data, "host"
    if hasattr(x, "__cuda_array_interface__"):
        return x.__cuda_array_interface__["data"][0], "device"
    if hasattr(x, "int_ptr"):
        return x.int_ptr, "handle"
    return int(x), "device"
"""),
        slip('"host"', '"device"', "A NumPy array is in the host's memory: its side is \"host\".",
             change('"host"', '"cpu"'), change('"host"', '"numpy"')),
        slip('return "device", int(x)', 'return "device", x',
             "You return the allocation itself. Its address is the number that `int(x)` makes of it."),
        slip('"handle", x.int_ptr', '"device", x.int_ptr',
             "`int_ptr` is not an address: it is OpenCL's handle of the buffer, and no kernel can follow it. Its side "
             "is \"handle\".", change('"handle", x.int_ptr', '"host", x.int_ptr')),
        slip('"host", x.ctypes.data', '"host", (x if x.base is None else x.base).ctypes.data',
             "For a part of an array you give the start of the whole. A view has an address of its own: "
             "`x.ctypes.data`."),
        slip("""\
    if hasattr(x, "__cuda_array_interface__"):
        return "device", x.__cuda_array_interface__["data"][0]
""",
             "",
             "`int(x)` is good for an allocation. An array is not a number, whichever library made it: ask its "
             "`__cuda_array_interface__`."),
        slip("""\
    if hasattr(x, "__cuda_array_interface__"):
        return "device", x.__cuda_array_interface__["data"][0]
""",
             '    if hasattr(x, "gpudata"):\n        return "device", int(x.gpudata)\n',
             "Only PyCUDA's arrays have `gpudata` and `ptr`. Numba's and CuPy's have what all of them have: "
             "`__cuda_array_interface__`.", change('x.__cuda_array_interface__["data"][0]', "x.ptr"),
             change('x.__cuda_array_interface__["data"][0]', "int(x.gpudata)")),
        slip('    if hasattr(x, "int_ptr"):\n        return "handle", x.int_ptr\n', "",
             "You pass over the PyOpenCL buffer, which is not a number and has no `int(x)`: ask for `int_ptr`, and "
             "give its handle."),
        slip('["data"][0]', '["data"]',
             '`["data"]` is a pair: the address, and whether it may only be read. Take the first.'),
        slip('return "device", int(x)', 'return "device", x.ptr',
             "An allocation has no `ptr`, only arrays have. It is a number itself: `int(x)`."),
    ))

EXERCISES = (where_is,)
