"""Attempts at the exercises of "Three libraries"."""
from . import change, right, wrong

WHERE = "import numpy as np, pycuda.driver as cuda, pycuda.gpuarray as gpuarray\ndef where_is(x):\n"

ATTEMPTS = {
    "where-is": (
        wrong("int first", "without dimensions", """
import numpy as np
def where_is(x):
    try:
        return "device", int(x)
    except Exception:
        pass
    if isinstance(x, np.ndarray): return "host", x.ctypes.data
    if hasattr(x, "__cuda_array_interface__"): return "device", x.__cuda_array_interface__["data"][0]
    return "handle", x.int_ptr"""),
        wrong("for reading alone is taken for the host's", "", WHERE + """
    if isinstance(x, np.ndarray):
        return "host", x.ctypes.data
    if hasattr(x, "__cuda_array_interface__"):
        address, read_only = x.__cuda_array_interface__["data"]
        return "host" if read_only else "device", address
    return ("handle", x.int_ptr) if hasattr(x, "int_ptr") else ("device", int(x))"""),
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
        right("numbers of NumPy", change("int(x)", "np.uint64(int(x))", "def where_is", "import numpy as np\ndef where_is")),
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
        wrong("id, everywhere", "where Python keeps the object", WHERE + "    return 'host', id(x)"),
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
        wrong("Host for host", "letter by letter", change('"host"', '"Host"')),
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
}
