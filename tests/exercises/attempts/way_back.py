"""Attempts at the exercises of "The way back"."""
from . import right, wrong

DRIVER = "from cuda.bindings import driver as cu\nA = cu.CUpointer_attribute\n"
PINNED = DRIVER + "def is_pinned(address):\n"

ATTEMPTS = {
    "is-pinned": (
        wrong("cuMemHostGetFlags",
              "`cuMemHostGetFlags` answers for managed", PINNED + "    return cu.cuMemHostGetFlags(address)[0] == cu.CUresult.CUDA_SUCCESS"),
        wrong("its flags, not the error's number", "`cuMemHostGetFlags` answers for managed", PINNED + """
    error, flags = cu.cuMemHostGetFlags(address)
    return not error.value"""),
        right("the name of the kind", PINNED + """
    error, kind = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    if error != cu.CUresult.CUDA_SUCCESS:
        return False
    return kind == cu.CUmemorytype.CU_MEMORYTYPE_HOST"""),
        right("the error by its name", PINNED + """
    error, kind = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    return error.name == "CUDA_SUCCESS" and kind == cu.CUmemorytype.CU_MEMORYTYPE_HOST"""),
        right("the exception is the answer", PINNED + """
    try:
        return int(cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)[1]) == 1
    except TypeError:
        return False"""),
        wrong("the course's own exception",
              "`cuMemHostGetFlags` answers for managed", "from course_lib.core.errors import CudaError, ask\n" + PINNED + """
    try:
        ask(cu.cuMemHostGetFlags, address)
    except CudaError:
        return False
    return True"""),
        right("the plural call, and the kind", PINNED + """
    error, (kind,) = cu.cuPointerGetAttributes(1, [A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE], address)
    return error == 0 and int(kind) == 1"""),
        right("the kind alone, which is None where there is none", PINNED + """
    return cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)[1] == cu.CUmemorytype.CU_MEMORYTYPE_HOST"""),
        wrong("a host pointer, and not managed", "has no host pointer while only the device", PINNED + """
    no_pointer, _ = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_HOST_POINTER, address)
    _, managed = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_IS_MANAGED, address)
    return no_pointer == 0 and not managed"""),
        right("forward, and the kind", PINNED + """
    if cu.cuMemHostGetDevicePointer(address, 0)[0]:
        return False
    return int(cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)[1]) == 1"""),
        wrong("forward", "The forward call answers for memory mapped",
              PINNED + "    return cu.cuMemHostGetDevicePointer(address, 0)[0] == cu.CUresult.CUDA_SUCCESS"),
        wrong("forward, is not None", "The forward call answers for memory mapped",
              PINNED + "    return cu.cuMemHostGetDevicePointer(address, 0)[1] is not None"),
        wrong("forward, is None", "the other way round",
              PINNED + "    return cu.cuMemHostGetDevicePointer(address, 0)[1] is None"),
        wrong("forward, the numbers the same", "The forward call answers for memory mapped", PINNED + """
    error, device = cu.cuMemHostGetDevicePointer(address, 0)
    return not error and int(device) == address"""),
        wrong("HOST_POINTER", "Managed memory has a host pointer", PINNED + """
    error, host = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_HOST_POINTER, address)
    return error == cu.CUresult.CUDA_SUCCESS"""),
        wrong("HOST_POINTER, is not None", "Managed memory has a host pointer", PINNED + """
    return cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_HOST_POINTER, address)[1] is not None"""),
        wrong("any kind", "whether the driver knows the address", PINNED + """
    error, kind = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    return error == cu.CUresult.CUDA_SUCCESS"""),
        wrong("DEVICE_POINTER", "whether the driver knows the address", PINNED + """
    return cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_DEVICE_POINTER, address)[0] == 0"""),
        wrong("kind 2", "", PINNED + """
    error, kind = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    return error == cu.CUresult.CUDA_SUCCESS and int(kind) == 2"""),
        wrong("cuMemGetAddressRange", "", PINNED + "    return cu.cuMemGetAddressRange(address)[0] == 0"),
        wrong("cuMemGetAddressRange, at the start", "the start of an allocation, of any kind", PINNED + """
    error, start, size = cu.cuMemGetAddressRange(address)
    return error == cu.CUresult.CUDA_SUCCESS and int(start) == address"""),
        wrong("the error is not looked at", "there is no answer, only an error", PINNED + """
    _, kind = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    return int(kind) == 1"""),
        wrong("1 for True", "return `True` or `False`", PINNED + """
    kind = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)[1]
    return 1 if kind == cu.CUmemorytype.CU_MEMORYTYPE_HOST else 0"""),
        wrong("the words", "without the quotation marks", PINNED + """
    if cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)[1] == cu.CUmemorytype.CU_MEMORYTYPE_HOST:
        return "True"
    return "False\""""),
        wrong("None for False", "", PINNED + """
    if cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)[1] == cu.CUmemorytype.CU_MEMORYTYPE_HOST:
        return True"""),
        wrong("printed", "which is right, and returns nothing", PINNED + "    print(cu.cuMemHostGetFlags(address)[0] == 0)"),
        wrong("the whole answer compared", "the whole tuple", PINNED + """
    return cu.cuMemHostGetFlags(address) == cu.CUresult.CUDA_SUCCESS"""),
        wrong("the flags for the error", "", PINNED + "    return cu.cuMemHostGetFlags(address)[1] == 0"),
        wrong("true always", "raises nothing where the driver refuses", PINNED + """
    try:
        cu.cuMemHostGetFlags(address)
        return True
    except Exception:
        return False"""),
        wrong("the plural call", "The plural call is the trap", PINNED + """
    error, (host,) = cu.cuPointerGetAttributes(1, [A.CU_POINTER_ATTRIBUTE_HOST_POINTER], address)
    return int(host) == address"""),
        wrong("the error turned round", "the other way round",
              PINNED + "    return cu.cuMemHostGetFlags(address)[0] != cu.CUresult.CUDA_SUCCESS"),
        wrong("registered on trial", "", PINNED + """
    error, = cu.cuMemHostRegister(address // 4096 * 4096, 4096, 0)
    if error == 0:
        cu.cuMemHostUnregister(address // 4096 * 4096)
    return error == cu.CUresult.CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"""),
        wrong("on a page's edge", "", PINNED + "    return address % 4096 == 0"),
        right("MEMORY_TYPE compared with the enum", PINNED + """
    error, kind = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    return not error and int(kind) == cu.CUmemorytype.CU_MEMORYTYPE_HOST and not int(
        cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_IS_MANAGED, address)[1])"""),
        wrong("2 taken for host memory", "is 1", PINNED + """
    e, kind = cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    return e == cu.CUresult.CUDA_SUCCESS and int(kind) == 2"""),
        wrong("registers and sees whether it says already registered", "do not try", PINNED + """
    error, = cu.cuMemHostRegister(address, 1, 0)
    if error == cu.CUresult.CUDA_SUCCESS:
        cu.cuMemHostUnregister(address)
    return error == cu.CUresult.CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"""),
    ),
}
