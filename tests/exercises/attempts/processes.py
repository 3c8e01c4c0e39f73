"""Attempts at the exercises of "Several processes"."""
from . import change, right, wrong

START = """import os
from cuda.bindings import driver as cu
DESCRIPTOR = cu.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
"""
WAY = START + "def way_to_share(address):\n"
RECEIVE = "import numpy as np\nfrom cuda.bindings import driver as cu\ndef received(handle, offset, count):\n"
COPY, CLOSE = "    cu.cuMemcpyDtoH(found, int(start) + offset, found.nbytes)\n", "    cu.cuIpcCloseMemHandle(start)\n"

ATTEMPTS = {
    "ways-to-share": (
        wrong("released twice", "released too often", """
import os
from cuda.bindings import driver as cu
DESCRIPTOR = cu.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
def way_to_share(address):
    if cu.cuIpcGetMemHandle(address)[0] == 0: return "handle"
    error, memory = cu.cuMemRetainAllocationHandle(address)
    if error: return None
    error, fd = cu.cuMemExportToShareableHandle(memory, DESCRIPTOR, 0)
    cu.cuMemRelease(memory)
    cu.cuMemRelease(memory)
    if error: return None
    os.close(fd)
    return "descriptor"
"""),
        wrong("the two words exchanged", "are exchanged", """
import os
from cuda.bindings import driver as cu
DESCRIPTOR = cu.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
def way_to_share(address):
    if cu.cuIpcGetMemHandle(address)[0] == 0: return "descriptor"
    error, memory = cu.cuMemRetainAllocationHandle(address)
    if error: return None
    error, fd = cu.cuMemExportToShareableHandle(memory, DESCRIPTOR, 0)
    cu.cuMemRelease(memory)
    if error: return None
    os.close(fd)
    return "handle"
"""),
        right("nested ifs", WAY + """
    if cu.cuIpcGetMemHandle(address)[0] == cu.CUresult.CUDA_SUCCESS:
        return "handle"
    error, memory = cu.cuMemRetainAllocationHandle(address)
    if error == cu.CUresult.CUDA_SUCCESS:
        error, fd = cu.cuMemExportToShareableHandle(memory, DESCRIPTOR, 0)
        cu.cuMemRelease(memory)
        if error == cu.CUresult.CUDA_SUCCESS:
            os.close(fd)
            return "descriptor"
    return None"""),
        right("the descriptor first", WAY + """
    error, memory = cu.cuMemRetainAllocationHandle(address)
    if not error:
        refused, fd = cu.cuMemExportToShareableHandle(memory, DESCRIPTOR, 0)
        cu.cuMemRelease(memory)
        if refused:
            return None
        os.close(fd)
        return "descriptor"
    return None if cu.cuIpcGetMemHandle(address)[0] else "handle" """),
        right("try and finally", WAY + """
    if not cu.cuIpcGetMemHandle(address)[0]:
        return "handle"
    error, memory = cu.cuMemRetainAllocationHandle(address)
    if error:
        return None
    try:
        error, fd = cu.cuMemExportToShareableHandle(memory, DESCRIPTOR, 0)
        if error:
            return None
        os.close(fd)
        return "descriptor"
    finally:
        cu.cuMemRelease(memory)"""),
        right("a helper", START + """
def exportable(address):
    error, memory = cu.cuMemRetainAllocationHandle(address)
    if error:
        return False
    error, fd = cu.cuMemExportToShareableHandle(memory, DESCRIPTOR, 0)
    cu.cuMemRelease(memory)
    if not error:
        os.close(fd)
    return not error
def way_to_share(address):
    if not cu.cuIpcGetMemHandle(address)[0]:
        return "handle"
    return "descriptor" if exportable(address) else None"""),
        right("the course's helper for one half", START + """
from course_lib import sharing
def way_to_share(address):
    try:
        sharing.export(address)
        return "handle"
    except ValueError:
        pass
    error, memory = cu.cuMemRetainAllocationHandle(address)
    if error:
        return None
    error, fd = cu.cuMemExportToShareableHandle(memory, DESCRIPTOR, 0)
    cu.cuMemRelease(memory)
    if error:
        return None
    os.close(fd)
    return "descriptor" """),
        right("closed before the handle is released", change(
            "    cu.cuMemRelease(memory)\n    if error:\n        return None\n    os.close(fd)\n",
            "    if error:\n        cu.cuMemRelease(memory)\n        return None\n    os.close(fd)\n    cu.cuMemRelease(memory)\n")),
        right("int around the error", change("if not error", "if int(error) == 0")),
        right("match", WAY + """
    match int(cu.cuIpcGetMemHandle(address)[0]):
        case 0:
            return "handle"
    error, memory = cu.cuMemRetainAllocationHandle(address)
    if error: return
    error, fd = cu.cuMemExportToShareableHandle(memory, DESCRIPTOR, 0)
    cu.cuMemRelease(memory)
    if error: return
    os.close(fd)
    return "descriptor" """),
        right("os.fdopen", change("    os.close(fd)\n", "    os.fdopen(fd, 'rb', buffering=0).close()\n")),
        wrong("the type is enough", "memory type 2", WAY + """
    error, kind = cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    if error or int(kind) != 2:
        return None
    return "handle" """),
        wrong("handles only", "IPC handle only", WAY + """
    error, handle = cu.cuIpcGetMemHandle(address)
    if error:
        return None
    return "handle" """),
        wrong("what has no handle has a descriptor", "need not have a descriptor", WAY + """
    error, handle = cu.cuIpcGetMemHandle(address)
    return "descriptor" if error else "handle" """),
        wrong("mapped is exportable", "look at the export's error", WAY + """
    if not cu.cuIpcGetMemHandle(address)[0]:
        return "handle"
    error, memory = cu.cuMemRetainAllocationHandle(address)
    if error:
        return None
    cu.cuMemRelease(memory)
    return "descriptor" """),
        wrong("released only after a success", "do not release it", WAY + """
    if not cu.cuIpcGetMemHandle(address)[0]:
        return "handle"
    error, memory = cu.cuMemRetainAllocationHandle(address)
    if not error:
        error, fd = cu.cuMemExportToShareableHandle(memory, DESCRIPTOR, 0)
        if not error:
            os.close(fd)
            cu.cuMemRelease(memory)
            return "descriptor" """),
        wrong("never closed, in a helper's form", "leave the descriptor open", WAY + """
    if not cu.cuIpcGetMemHandle(address)[0]:
        return "handle"
    error, memory = cu.cuMemRetainAllocationHandle(address)
    if error:
        return None
    error, _ = cu.cuMemExportToShareableHandle(memory, DESCRIPTOR, 0)
    cu.cuMemRelease(memory)
    return None if error else "descriptor" """),
        wrong("nothing at all", "", WAY + "    return None"),
        wrong("True and False", "", WAY + "    return not cu.cuIpcGetMemHandle(address)[0]"),
        wrong("other words", "", change('return "descriptor"', 'return "fd"')),
        wrong("the words exchanged",
              "", change('return "handle"', 'return "?"', 'return "descriptor"', 'return "handle"', '"?"', '"descriptor"')),
    ),
    "share-order": (
        *(right("an order that works", order) for order in (
            "create export release import close map access use", "create export import map access use close release",
            "create export import close release map access use", "create export import release map close access use",
            "create, export, import, map, release, access, close, use",
            ("create", "export", "release", "import", "map", "access", "use", "close"))),
        wrong("released at once, closed late",
              "A released handle cannot be exported", "create release export import map access use close"),
        wrong("imported first of all", "no descriptor to import yet", "import create export release close map access use"),
        wrong("the exporter's handle is thought to be mapped",
              "import the descriptor first", "create map export import close release access use"),
        wrong("access before map", "there is none yet", "create export import access map use close release"),
        wrong("used before access, with the rest late",
              "set access before you use", "create export import map use access close release"),
        wrong("backwards", "no address to use yet", "use access map close import release export create"),
        wrong("a line missing", "is missing", "create export release import close map access"),
    ),
    "received": (
        right("a sum of the address", RECEIVE + """
    _, start = cu.cuIpcOpenMemHandle(handle, 1)
    numbers = np.empty(count, dtype=np.int32)
    cu.cuMemcpyDtoH(numbers, int(start) + offset, 4 * count)
    cu.cuIpcCloseMemHandle(start)
    return list(numbers)"""),
        right("PyCUDA's copy", RECEIVE + """
    import pycuda.driver as cuda
    _, start = cu.cuIpcOpenMemHandle(handle, 1)
    found = cuda.from_device(int(start) + offset, count, np.int32)
    cu.cuIpcCloseMemHandle(start)
    return found.tolist()"""),
        right("the helper of the course", RECEIVE + """
    import ctypes
    from course_lib import sharing
    import pycuda.driver as cuda
    with sharing.open_handle(ctypes.string_at(handle.getPtr(), 64)) as memory:
        return cuda.from_device(memory.device_address + offset, count, np.int32).tolist()"""),
        right("try and finally", RECEIVE + """
    error, start = cu.cuIpcOpenMemHandle(handle, 1)
    if error:
        raise RuntimeError(error.name)
    try:
        found = np.zeros(count, np.int32)
        cu.cuMemcpyDtoH(found, int(start) + offset, found.nbytes)
    finally:
        cu.cuIpcCloseMemHandle(start)
    return found.tolist()"""),
        right("all that comes before, too", RECEIVE + """
    error, start = cu.cuIpcOpenMemHandle(handle, 1)
    found = np.zeros(offset // 4 + count, np.int32)
    cu.cuMemcpyDtoH(found, start, found.nbytes)
    cu.cuIpcCloseMemHandle(start)
    return found[offset // 4:].tolist()"""),
        right("the name of the flag",
              change("handle, 1)", "handle, cu.CUipcMem_flags.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.value)")),
        right("a bytearray", RECEIVE + """
    error, start = cu.cuIpcOpenMemHandle(handle, 1)
    raw = bytearray(4 * count)
    cu.cuMemcpyDtoH(raw, int(start) + offset, len(raw))
    cu.cuIpcCloseMemHandle(start)
    return np.frombuffer(raw, np.int32).tolist()"""),
        right("an array", change("found.tolist()", "found")),
        right("one number at a time", RECEIVE + """
    error, start = cu.cuIpcOpenMemHandle(handle, 1)
    numbers = []
    for place in range(count):
        one = np.zeros(1, np.int32)
        cu.cuMemcpyDtoH(one, int(start) + offset + 4 * place, 4)
        numbers.append(int(one[0]))
    cu.cuIpcCloseMemHandle(start)
    return numbers"""),
        wrong("opened twice, closed once", "do not close the memory", change(
            "    found = np", "    cu.cuIpcOpenMemHandle(handle, 1)\n    found = np")),
        wrong("floats of the same size", "", change("np.int32", "np.float32")),
        wrong("one too few", "", change("np.zeros(count,", "np.zeros(count - 1,")),
        wrong("no copy", "", change(COPY, "")),
    ),
}
