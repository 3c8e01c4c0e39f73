"""Attempts at the exercises of lesson 01."""
from . import change, right, wrong

WHERE = "import numpy as np, pycuda.driver as cuda, pycuda.gpuarray as gpuarray\ndef where_is(x):\n"
READ = "import numpy as np\nimport pycuda.driver as cuda\ndef read_element(array, row, column):\n"
QUESTIONS = ("the host reads through the address of pinned memory", "a kernel reads through the address of pinned memory",
             "the host reads through the address of device memory", "a kernel reads through the null pointer",
             "cuMemAlloc, after a kernel read through the null pointer", "cuMemcpyDtoH from the null pointer")
RIGHT = ("the value", "the value", "SIGSEGV", "ILLEGAL_ADDRESS", "ILLEGAL_ADDRESS", "INVALID_VALUE")


def follow(**changed):
    """The table, with the answers of some questions (q1 to q6) changed."""
    return {question: changed.get(f"q{number}", word)
            for number, (question, word) in enumerate(zip(QUESTIONS, RIGHT), 1)}


ATTEMPTS = {
    "where-is": (
        right("isinstance", WHERE + """
    if isinstance(x, np.ndarray):
        return ("host", x.ctypes.data)
    if hasattr(x, "int_ptr"):
        return ("handle", x.int_ptr)
    if hasattr(x, "__cuda_array_interface__"):
        return ("device", x.__cuda_array_interface__["data"][0])
    return ("device", int(x))"""),
        right("a list for a tuple", WHERE + """
    if isinstance(x, np.ndarray):
        return ["host", x.__array_interface__["data"][0]]
    if hasattr(x, "int_ptr"):
        return ["handle", x.int_ptr]
    if hasattr(x, "__cuda_array_interface__"):
        return ["device", x.__cuda_array_interface__["data"][0]]
    return ["device", int(x)]"""),
        right("numbers of NumPy", change("int(x)", "np.uint64(int(x))", "\ndef", "import numpy as np\ndef")),
        right("exceptions", WHERE + """
    try:
        return "host", x.ctypes.data
    except AttributeError:
        pass
    try:
        return "device", x.__cuda_array_interface__["data"][0]
    except AttributeError:
        pass
    try:
        return "handle", x.int_ptr
    except AttributeError:
        return "device", int(x)"""),
        wrong("id", "where Python keeps the object", change("x.ctypes.data", "id(x)")),
        wrong("id, everywhere", "where Python keeps the object", WHERE + "    return 'host', id(x)"),
        wrong("a memoryview", "is a memoryview", change("x.ctypes.data", "x.data")),
        wrong("the pair of the array interface", "is a pair", change("x.ctypes.data", "x.__array_interface__['data']")),
        wrong("the pair of the CUDA array interface", "is a pair", change('["data"][0]', '["data"]')),
        wrong("a handle on the device", "no kernel can follow it", WHERE + """
    if isinstance(x, np.ndarray):
        return "host", x.ctypes.data
    if hasattr(x, "__cuda_array_interface__"):
        return "device", x.__cuda_array_interface__["data"][0]
    if hasattr(x, "int_ptr"):
        return "device", x.int_ptr
    return "device", int(x)"""),
        wrong("the start of the whole", "A view has an address of its own",
              change("x.ctypes.data", "(x.base.ctypes.data if x.base is not None else x.ctypes.data)")),
        wrong("PyCUDA's arrays only", "Only PyCUDA's arrays", WHERE + """
    if isinstance(x, np.ndarray):
        return "host", x.ctypes.data
    if isinstance(x, gpuarray.GPUArray):
        return "device", int(x.gpudata)
    if hasattr(x, "int_ptr"):
        return "handle", x.int_ptr
    return "device", int(x)"""),
        wrong("no arrays on the device", "An array is not a number", WHERE + """
    if isinstance(x, np.ndarray):
        return "host", x.ctypes.data
    if hasattr(x, "int_ptr"):
        return "handle", x.int_ptr
    return "device", int(x)"""),
        wrong("no PyOpenCL", "You pass over the PyOpenCL buffer", WHERE + """
    if isinstance(x, np.ndarray):
        return "host", x.ctypes.data
    if hasattr(x, "__cuda_array_interface__"):
        return "device", x.__cuda_array_interface__["data"][0]
    return "device", int(x)"""),
        wrong("the number alone", "You return the number alone", WHERE + """
    if isinstance(x, np.ndarray):
        return x.ctypes.data
    if hasattr(x, "__cuda_array_interface__"):
        return x.__cuda_array_interface__["data"][0]
    return x.int_ptr if hasattr(x, "int_ptr") else int(x)"""),
        wrong("the number first", "The side comes first", WHERE + """
    if isinstance(x, np.ndarray):
        return x.ctypes.data, "host"
    if hasattr(x, "__cuda_array_interface__"):
        return x.__cuda_array_interface__["data"][0], "device"
    if hasattr(x, "int_ptr"):
        return x.int_ptr, "handle"
    return int(x), "device"""
              '"'),
        wrong("the allocation itself", "You return the allocation itself", change("int(x)", "x")),
        wrong("ptr of an allocation", "An allocation has no `ptr`", change("int(x)", "x.ptr")),
        wrong("Host for host", "letter by letter", change('"host"', '"Host"')),
        wrong("cpu for host", "its side is", change('"host"', '"cpu"')),
        wrong("a float", "as an `int`", change("x.ctypes.data", "float(x.ctypes.data)")),
        wrong("text", "as an `int`", change("x.ctypes.data", "hex(x.ctypes.data)")),
        wrong("the size of an element added", "An address counts bytes", change("x.ctypes.data", "x.ctypes.data + x.itemsize")),
        right("isinstance for numpy, getattr chain", """
import numpy as np
def where_is(x):
    if isinstance(x, np.ndarray):
        return "host", x.__array_interface__["data"][0]
    cai = getattr(x, "__cuda_array_interface__", None)
    if cai is not None:
        return "device", cai["data"][0]
    return ("handle", x.int_ptr) if hasattr(x, "int_ptr") else ("device", int(x))"""),
        right("try each in turn", WHERE + """
    for side, get in (("device", lambda: x.__cuda_array_interface__["data"][0]), ("handle", lambda: x.int_ptr),
                      ("host", lambda: x.ctypes.data), ("device", lambda: int(x))):
        try:
            return side, get()
        except AttributeError:
            pass"""),
    ),
    "read-element": (
        right("NumPy's strides", READ + """
    known = array.__cuda_array_interface__
    kind, (address, _) = np.dtype(known["typestr"]), known["data"]
    strides = known["strides"] or np.empty(known["shape"], kind).strides
    one = np.zeros((), kind)
    cuda.memcpy_dtoh(one, int(address + np.dot((row, column), strides)))
    return one.item()"""),
        right("from_device", READ + """
    known = array.__cuda_array_interface__
    size = np.dtype(known["typestr"]).itemsize
    strides = known["strides"] or (known["shape"][1] * size, size)
    at = known["data"][0] + sum(a * b for a, b in zip((row, column), strides))
    return cuda.from_device(at, 1, known["typestr"])[0]"""),
        right("the driver's own call", READ + """
    from cuda.bindings import driver as cu
    known = array.__cuda_array_interface__
    found = np.empty(1, known["typestr"])
    a, b = known["strides"] or (known["shape"][1] * found.itemsize, found.itemsize)
    cu.cuMemcpyDtoH(found.ctypes.data, known["data"][0] + row * a + column * b, found.nbytes)
    return found[0]"""),
        right("an array of PyCUDA over that one byte range", READ + """
    from pycuda import gpuarray
    known = array.__cuda_array_interface__
    size = np.dtype(known["typestr"]).itemsize
    a, b = known["strides"] or (known["shape"][1] * size, size)
    return gpuarray.GPUArray(1, known["typestr"], gpudata=known["data"][0] + row * a + column * b).get()[0]"""),
        right("an if", READ + """
    i = array.__cuda_array_interface__
    to = np.empty(1, np.dtype(i["typestr"]))
    if i["strides"] is None:
        away = (row * i["shape"][1] + column) * to.itemsize
    else:
        away = row * i["strides"][0] + column * i["strides"][1]
    cuda.memcpy_dtoh(to, i["data"][0] + away)
    return to[0]"""),
        wrong("an array of one element", "It should be a number, and is a list", change("return found[0]", "return found")),
        wrong("a float for whole numbers", "it is a float", change("return found[0]", "return float(found[0])")),
        wrong("the size of an element forgotten", "elements where bytes are wanted", READ + """
    known = array.__cuda_array_interface__
    found = np.empty(1, known["typestr"])
    cuda.memcpy_dtoh(found, known["data"][0] + row * known["shape"][1] + column)
    return found[0]"""),
        wrong("the size forgotten, strides respected", "elements where bytes are wanted", READ + """
    known = array.__cuda_array_interface__
    found = np.empty(1, known["typestr"])
    a, b = known["strides"] or (known["shape"][1], 1)
    cuda.memcpy_dtoh(found, known["data"][0] + row * a + column * b)
    return found[0]"""),
        wrong("strides passed over", "You pass over the strides", READ + """
    known = array.__cuda_array_interface__
    found = np.empty(1, known["typestr"])
    cuda.memcpy_dtoh(found, known["data"][0] + (row * known["shape"][1] + column) * found.itemsize)
    return found[0]"""),
        wrong("no strides: an exception", "may be `None`", READ + """
    known = array.__cuda_array_interface__
    found = np.empty(1, known["typestr"])
    a, b = known["strides"]
    cuda.memcpy_dtoh(found, known["data"][0] + row * a + column * b)
    return found[0]"""),
        wrong("the address forgotten", "Add where the array begins", change('interface["data"][0] + ', "")),
        wrong("the pair", "is a pair", change('interface["data"][0]', 'interface["data"]')),
        wrong("4 bytes of a float", "an array of another type", change('interface["typestr"]', "np.float32")),
        wrong("no type at all", "an array of another type", change('(1, interface["typestr"])', "1")),
        wrong("rows for columns", "as many elements as there are columns", change('"shape"][1]', '"shape"][0]')),
        wrong("row and column exchanged", "Rows and columns are exchanged", READ + """
    known = array.__cuda_array_interface__
    found = np.empty(1, known["typestr"])
    a, b = known["strides"] or (known["shape"][1] * found.itemsize, found.itemsize)
    cuda.memcpy_dtoh(found, known["data"][0] + column * a + row * b)
    return found[0]"""),
        wrong("strides times size", "Strides are in bytes already", change("row * strides[0] + column * strides[1]",
                                                                          "(row * strides[0] + column * strides[1]) * found.itemsize")),
        wrong("counted from 1", "counted from 0", change("row * strides[0] + column", "(row - 1) * strides[0] + (column - 1)")),
        wrong("the second stride passed over", "the second stride", change("column * strides[1]", "column * found.itemsize")),
        wrong("no copy", "Nothing is copied", READ + """
    return np.zeros(1, array.__cuda_array_interface__["typestr"])[0]"""),
        wrong("10 * row + column, and no copy", "", READ + """
    return np.array([10 * row + column], array.__cuda_array_interface__["typestr"])[0] + 1"""),
        wrong("the address", "You return the address", change("return found[0]", 'return interface["data"][0] + row * strides[0] '
                                                              "+ column * strides[1]")),
        wrong("get, which it does not have", "raises AttributeError", READ + "    return array.get()[row, column]"),
        wrong("indexed", "raises TypeError", READ + "    return array[row, column]"),
        wrong("all is copied", "you copy more than the element", READ + """
    known = array.__cuda_array_interface__
    if known["strides"]:
        size = np.dtype(known["typestr"]).itemsize
        at = row * known["strides"][0] + column * known["strides"][1]
        all_of_it = np.empty(at + size, np.uint8)
        cuda.memcpy_dtoh(all_of_it, known["data"][0])
        return all_of_it[at:at + size].view(known["typestr"])[0]
    whole = np.empty(known["shape"], known["typestr"])
    cuda.memcpy_dtoh(whole, known["data"][0])
    return whole[row, column]"""),
        wrong("the wrong way", "", change("cuda.memcpy_dtoh(found, ", "cuda.memcpy_htod(").__class__((
            ("cuda.memcpy_dtoh(found, interface[\"data\"][0] + row * strides[0] + column * strides[1])",
             "cuda.memcpy_htod(interface[\"data\"][0] + row * strides[0] + column * strides[1], found)"),))),
        wrong("no return", "returns None every time", change("    return found[0]\n", "")),
        right("copies via from_device, strides built", READ + """
    i = array.__cuda_array_interface__
    t = np.dtype(i["typestr"])
    strides = i.get("strides") or (t.itemsize * i["shape"][1], t.itemsize)
    where = i["data"][0] + sum(s * n for s, n in zip(strides, (row, column)))
    return cuda.from_device(where, (1,), t)[0]"""),
        right("reads the whole last row part by bytes", READ + """
    interface = array.__cuda_array_interface__
    size = int(interface["typestr"][2:])
    a, b = (interface["shape"][1] * size, size) if interface["strides"] is None else interface["strides"]
    raw = bytearray(size)
    cuda.memcpy_dtoh(raw, interface["data"][0] + a * row + b * column)
    return np.frombuffer(raw, interface["typestr"]).item()"""),
        wrong("strides taken for numbers of elements", "Strides are in bytes already", READ + """
    interface = array.__cuda_array_interface__
    got = np.empty(1, interface["typestr"])
    strides = interface["strides"]
    if strides is None:
        strides = (interface["shape"][1], 1)
    cuda.memcpy_dtoh(got, interface["data"][0] + (row * strides[0] + column * strides[1]) * got.itemsize)
    return got[0]"""),
        wrong("host dereference", "comes by a copy", """
import numpy as np
import pycuda.driver as cuda

import ctypes
def read_element(array, row, column):
    i = array.__cuda_array_interface__
    t = np.dtype(i["typestr"])
    s = i["strides"] or (i["shape"][1] * t.itemsize, t.itemsize)
    return ctypes.c_int.from_address(i["data"][0] + row * s[0] + column * s[1]).value"""),
    ),
    "follow": (
        right("as it is asked for", follow()),
        right("small letters", follow(q3="sigsegv", q4="illegal_address")),
        right("blanks", follow(q3="SIGSEGV ", q1=" the value")),
        right("with the driver's prefix", follow(q4="CUDA_ERROR_ILLEGAL_ADDRESS", q6="CUDA_ERROR_INVALID_VALUE")),
        right("with a blank in the word", follow(q5="illegal address", q6="Invalid Value")),
        right("with a question more", follow() | {"my own": 3}),
        wrong("another language", "The options are `\"the value\"`", follow(q3="segmentation fault")),
        wrong("a word that is none", "which is not an option", follow(q6="error")),
        wrong("nothing for one question", "has no answer yet", follow(q4="?")),
        wrong("None", "which is not an option", follow(q4=None)),
        wrong("a list of words", "which is not an option", follow(q4=["SIGSEGV", "ILLEGAL_ADDRESS"])),
        *(wrong(f"{word} for question {number}", says, follow(**{f"q{number}": word})) for number, word, says in (
            (1, "SIGSEGV", "Pinned memory is ordinary memory"), (1, "ILLEGAL_ADDRESS", "Pinned memory is ordinary memory"),
            (1, "INVALID_VALUE", "Pinned memory is ordinary memory"), (2, "ILLEGAL_ADDRESS", "that both may follow"),
            (2, "SIGSEGV", "that both may follow"), (2, "INVALID_VALUE", "that both may follow"),
            (3, "the value", "has no way to device memory"), (3, "ILLEGAL_ADDRESS", "is the device's word"),
            (3, "INVALID_VALUE", "one instruction of the CPU"), (4, "the value", "Nothing is at address 0"),
            (4, "SIGSEGV", "SIGSEGV is for the process"), (4, "INVALID_VALUE", "makes no call"),
            (5, "the value", "has broken CUDA for its process"), (5, "SIGSEGV", "The process lives on"),
            (5, "INVALID_VALUE", "It repeats the error"), (6, "the value", "nothing to copy"),
            (6, "SIGSEGV", "hands the number to the driver"), (6, "ILLEGAL_ADDRESS", "is not even begun"))),
        wrong("all the same", "Pinned memory is ordinary memory", follow(q1="SIGSEGV", q2="SIGSEGV", q4="SIGSEGV", q5="SIGSEGV")),
        wrong("small letters, and wrong", "is the device's word", follow(q3="illegal_address")),
        right("the error's whole name", change('null pointer": "ILLEGAL_ADDRESS",\n    "cuMemAlloc',
                                               'null pointer": "CUDA_ERROR_ILLEGAL_ADDRESS",\n    "cuMemAlloc')),
    ),
}
