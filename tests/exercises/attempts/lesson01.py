"""Attempts at the exercises of lesson 01."""
from . import change, right, wrong

WHERE = "import numpy as np, pycuda.driver as cuda, pycuda.gpuarray as gpuarray\ndef where_is(x):\n"
ELEMENT = "def element_address(interface, row, column):\n"
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
        wrong("no arrays on the device", "An array is no number", WHERE + """
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
    ),
    "element-address": (
        right("an if", ELEMENT + """
    size = int(interface["typestr"][2:])
    if interface["strides"] is None:
        one, other = interface["shape"][1] * size, size
    else:
        one, other = interface["strides"]
    address, _ = interface["data"]
    return address + row * one + column * other"""),
        right("NumPy's strides", "import numpy as np\n" + ELEMENT + """
    kind = np.dtype(interface["typestr"])
    strides = interface["strides"] or np.empty(interface["shape"], kind).strides
    return interface["data"][0] + int(np.dot((row, column), strides))"""),
        right("numbers of NumPy", "import numpy as np\n" + ELEMENT + """
    kind = np.dtype(interface["typestr"])
    strides = interface["strides"] or np.empty(interface["shape"], kind).strides
    return interface["data"][0] + np.dot((row, column), strides)"""),
        right("the index first", ELEMENT + """
    size = int(interface["typestr"].lstrip("<>|=iufcb"))
    if not interface["strides"]:
        return interface["data"][0] + (row * interface["shape"][1] + column) * size
    return interface["data"][0] + sum(a * b for a, b in zip((row, column), interface["strides"]))"""),
        wrong("the size of an element forgotten, strides respected", "elements where bytes are wanted", ELEMENT + """
    if interface["strides"] is None:
        return interface["data"][0] + row * interface["shape"][1] + column
    return interface["data"][0] + row * interface["strides"][0] + column * interface["strides"][1]"""),
        wrong("the size forgotten, strides passed over", "elements where bytes are wanted", ELEMENT + """
    return interface["data"][0] + row * interface["shape"][1] + column"""),
        wrong("the size forgotten for the column", "elements where bytes are wanted", ELEMENT + """
    size = int(interface["typestr"][2:])
    s = interface["strides"] or (size * interface["shape"][1], 1)
    return interface["data"][0] + row * s[0] + column * s[1]"""),
        wrong("strides passed over", "You pass over the strides", ELEMENT + """
    size = int(interface["typestr"][2:])
    return interface["data"][0] + (row * interface["shape"][1] + column) * size"""),
        wrong("rows for columns", "as many elements as there are columns", ELEMENT + """
    size = int(interface["typestr"][2:])
    s = interface["strides"] or (size * interface["shape"][0], size)
    return interface["data"][0] + row * s[0] + column * s[1]"""),
        wrong("row and column exchanged", "Rows and columns are exchanged", ELEMENT + """
    size = int(interface["typestr"][2:])
    s = interface["strides"] or (size * interface["shape"][1], size)
    return interface["data"][0] + column * s[0] + row * s[1]"""),
        wrong("4 bytes always", "Not every element has 4 bytes", ELEMENT + """
    s = interface["strides"] or (4 * interface["shape"][1], 4)
    return interface["data"][0] + row * s[0] + column * s[1]"""),
        wrong("no strides: an exception", "may be `None`", ELEMENT + """
    s = interface["strides"]
    return interface["data"][0] + row * s[0] + column * s[1]"""),
        wrong("the address forgotten", "Add where the array begins", ELEMENT + """
    size = int(interface["typestr"][2:])
    s = interface["strides"] or (size * interface["shape"][1], size)
    return row * s[0] + column * s[1]"""),
        wrong("the pair", "is a pair", ELEMENT + """
    size = int(interface["typestr"][2:])
    s = interface["strides"] or (size * interface["shape"][1], size)
    return interface["data"] + row * s[0] + column * s[1]"""),
        wrong("one digit of the size", "two digits", change("[2:]", "[-1]")),
        wrong("a letter too many", "begins with two letters", change("[2:]", "[1:]")),
        wrong("strides times size", "Strides are in bytes already", ELEMENT + """
    size = int(interface["typestr"][2:])
    if interface["strides"] is None:
        return interface["data"][0] + (row * interface["shape"][1] + column) * size
    return interface["data"][0] + (row * interface["strides"][0] + column * interface["strides"][1]) * size"""),
        wrong("a float", "it is a float", change("interface[\"data\"][0] +", "interface[\"data\"][0] / 1 +")),
        wrong("only the row", "", ELEMENT + """
    size = int(interface["typestr"][2:])
    s = interface["strides"] or (size * interface["shape"][1], size)
    return interface["data"][0] + row * s[0]"""),
        wrong("in a tuple", "in a list of its own", ELEMENT + """
    size = int(interface["typestr"][2:])
    s = interface["strides"] or (size * interface["shape"][1], size)
    return interface["data"][0] + row * s[0] + column * s[1],"""),
    ),
    "follow": (
        right("as it is asked for", follow()),
        right("small letters", follow(q3="sigsegv", q4="illegal_address")),
        right("blanks", follow(q3="SIGSEGV ", q1=" the value")),
        right("with the driver's prefix", follow(q4="CUDA_ERROR_ILLEGAL_ADDRESS", q6="CUDA_ERROR_INVALID_VALUE")),
        right("with a blank in the word", follow(q5="illegal address", q6="Invalid Value")),
        right("with a question more", follow() | {"my own": 3}),
        wrong("another language", "The options are `\"the value\"`", follow(q3="segmentation fault")),
        wrong("a word that is none", "which is no option", follow(q6="error")),
        wrong("nothing for one question", "has no answer yet", follow(q4="?")),
        wrong("None", "which is no option", follow(q4=None)),
        wrong("a list of words", "which is no option", follow(q4=["SIGSEGV", "ILLEGAL_ADDRESS"])),
        *(wrong(f"{word} for question {number}", says, follow(**{f"q{number}": word})) for number, word, says in (
            (1, "SIGSEGV", "Pinned memory is ordinary memory"), (1, "ILLEGAL_ADDRESS", "Pinned memory is ordinary memory"),
            (1, "INVALID_VALUE", "Pinned memory is ordinary memory"), (2, "ILLEGAL_ADDRESS", "that both may follow"),
            (2, "SIGSEGV", "that both may follow"), (2, "INVALID_VALUE", "that both may follow"),
            (3, "the value", "has no way to device memory"), (3, "ILLEGAL_ADDRESS", "is the device's word"),
            (3, "INVALID_VALUE", "one instruction of the CPU"), (4, "the value", "Nothing is at address 0"),
            (4, "SIGSEGV", "SIGSEGV is for the process"), (4, "INVALID_VALUE", "makes no call"),
            (5, "the value", "The context is broken"), (5, "SIGSEGV", "The process lives on"),
            (5, "INVALID_VALUE", "It repeats the error"), (6, "the value", "nothing to copy"),
            (6, "SIGSEGV", "hands the number to the driver"), (6, "ILLEGAL_ADDRESS", "is not even begun"))),
        wrong("all the same", "Pinned memory is ordinary memory", follow(q1="SIGSEGV", q2="SIGSEGV", q4="SIGSEGV", q5="SIGSEGV")),
        wrong("small letters, and wrong", "is the device's word", follow(q3="illegal_address")),
    ),
}
