"""Words for what passes from one process to another: IPC handles of memory and of events, file descriptors of physical memory.

    process.ask(open_memory, "b", ipc_handle("a"))     by an IPC handle, which is bytes
    import_in(process, "k", descriptor("h"))           by a file descriptor
    process.ask(map_memory, "b", "k")                  mapped there

What could not be made is an error's name, and stands in its place: "no handle: INVALID_VALUE".
"""
import os

from cuda.bindings import driver as cu

from ...structures import bytes_of, put_bytes
from .between import copy_code, keep, number, put, word
from .calls import ask, outcome
from .memory_kinds import LARGE, access, create, location, reserve, set_access
from .processes import FileDescriptor, remembered

POSIX = cu.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR


def export_status(answer):
    """What may be said of bytes or of a descriptor: that there are some; else the error's name."""
    return answer if isinstance(answer, str) else "given"


# -- IPC handles ------------------------------------------------------------------------------------------------------

@word
def ipc_handle(label, offset=0):
    """The IPC handle, as bytes, or the error's name."""
    return outcome(cu.cuIpcGetMemHandle(number(label) + offset), as_=bytes_of)


@word
def open_memory(label, handle, flags=1):
    """Open an IPC handle; an error's name in its place, which stands for a handle that could not be made, stays one."""
    if isinstance(handle, str):
        return f"no handle: {handle}"
    struct = cu.CUipcMemHandle()
    put_bytes(struct, handle)
    return keep(label, cu.cuIpcOpenMemHandle(struct, flags))


@word
def close_memory(label, offset=0):
    return ask(cu.cuIpcCloseMemHandle(number(label) + offset))


@word
def create_event(label, flags=6):
    return keep(label, cu.cuEventCreate(flags))


@word
def event_handle(label):
    return outcome(cu.cuIpcGetEventHandle(number(label)), as_=bytes_of)


@word
def open_event(label, handle):
    if isinstance(handle, str):
        return f"no handle: {handle}"
    struct = cu.CUipcEventHandle()
    put_bytes(struct, handle)
    return keep(label, cu.cuIpcOpenEventHandle(struct))


@word
def record_event(label, stream=0):
    return ask(cu.cuEventRecord(number(label), stream))


@word
def event_state(label):
    """Has the event happened?"""
    return ask(cu.cuEventQuery(number(label)))


@word
def await_event(label):
    return ask(cu.cuEventSynchronize(number(label)))


# -- file descriptors of physical memory --------------------------------------------------------------------------------

@word
def create_physical(label, size=LARGE, place="device", ordinal=0, handle_type=1):
    """Physical memory that may be exported."""
    remembered[label] = int(create(size, place=place, ordinal=ordinal, handle_type=handle_type))
    return "SUCCESS"


@word
def descriptor(label, kind=POSIX, flags=0):
    """A descriptor of physical memory, or the error's name."""
    fd = outcome(cu.cuMemExportToShareableHandle(number(label), kind, flags))
    return fd if isinstance(fd, str) else FileDescriptor(fd)


@word
def import_memory(label, fd, kind=POSIX):
    """Import a descriptor and close it."""
    if isinstance(fd, str):
        return f"no descriptor: {fd}"
    code = keep(label, cu.cuMemImportFromShareableHandle(fd, kind))
    os.close(fd)
    return code


@word
def map_memory(label, handle, size=LARGE, rights="read and write", place="device"):
    """Map a kept handle, with these rights or (None) without any."""
    physical, address = number(handle), reserve(size)
    code = ask(cu.cuMemMap(address, size, 0, physical, 0))
    if code != "SUCCESS":
        cu.cuMemAddressFree(address, size)
        return code
    remembered[label] = address
    return ask(set_access(address, size, rights, place)) if rights else code


@word
def unmap_memory(label, size=LARGE):
    """Unmap it, and give the addresses back."""
    return [ask(cu.cuMemUnmap(number(label), size)), ask(cu.cuMemAddressFree(number(label), size))]


@word
def release_handle(label):
    return ask(cu.cuMemRelease(number(label)))


def import_in(process, label, fd, *, closing=True):
    """Let another process import a descriptor of this one."""
    if isinstance(fd, str):
        return f"no descriptor: {fd}"
    code = process.ask(import_memory, label, fds=[fd])
    if closing:
        os.close(fd)
    return code


def grant_rights(label, entries):
    """Give devices, by number, rights to mapped memory: the codes, the rights then, and whether a copy and a memset may."""
    codes = [ask(cu.cuMemSetAccess(number(label), LARGE, [access(right, ordinal=ordinal)], 1)) for ordinal,
             right in entries.items()]
    return [*codes, [outcome(cu.cuMemGetAccess(location(ordinal=ordinal), number(label))) for ordinal in (0, 1)], copy_code(label),
            put(label, 3)]


def exportable_memory(size=LARGE):
    """Physical memory "h" that may be exported, mapped as "a", with a pattern."""
    create_physical("h", size)
    map_memory("a", "h", size)
    put("a", 1, 64)


def handle_properties(handle):
    """The properties that a handle tells."""
    result = cu.cuMemGetAllocationPropertiesFromHandle(number(handle))
    if int(result[0]):
        return ask(result)
    properties = result[1]
    return [int(properties.type), int(properties.requestedHandleTypes), int(properties.location.type), int(properties.location.id), int(properties.allocFlags.gpuDirectRDMACapable),
            int(properties.allocFlags.usage), int(properties.allocFlags.compressionType)]
