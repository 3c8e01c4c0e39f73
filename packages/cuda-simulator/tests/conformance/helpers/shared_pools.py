"""Words about pools that are exported, and about the pointers into them."""
import os

from cuda.bindings import driver as cu

from ...structures import bytes_of, put_bytes
from .between import keep, number, put, word
from .calls import ask, outcome
from .memory_kinds import access, location
from .processes import FileDescriptor, OtherProcess
from .shareable import POSIX

ATTRIBUTES = {attribute.name.replace("CU_MEMPOOL_ATTR_", ""): attribute for attribute in cu.CUmemPool_attribute if "HIGH" not in attribute.name and int(attribute) < 9}


@word
def pool(label, place="device", ordinal=0, handle_type=1):
    """A pool that may be exported."""
    props = cu.CUmemPoolProps()
    props.allocType = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    props.handleTypes, props.location = cu.CUmemAllocationHandleType(handle_type), location(place, ordinal)
    return keep(label, cu.cuMemPoolCreate(props))


@word
def take_from_pool(label, source, size=4096, seed=1):
    """Memory from a pool, with a pattern."""
    code = keep(label, cu.cuMemAllocFromPoolAsync(size, number(source), 0))
    return code if code != "SUCCESS" else put(label, seed, 64)


@word
def pool_descriptor(label, kind=POSIX, flags=0):
    fd = outcome(cu.cuMemPoolExportToShareableHandle(number(label), kind, flags))
    return fd if isinstance(fd, str) else FileDescriptor(fd)


@word
def import_pool(label, fd, kind=POSIX, flags=0):
    """Import a pool, and close the descriptor."""
    code = keep(label, cu.cuMemPoolImportFromShareableHandle(fd, kind, flags))
    os.close(fd)
    return code


@word
def pointer_data(label, offset=0):
    """What another process imports a pointer by: bytes, or the error's name."""
    return outcome(cu.cuMemPoolExportPointer(number(label) + offset), as_=bytes_of)


@word
def import_pointer(label, source, data):
    if isinstance(data, str):
        return f"no pointer: {data}"
    struct = cu.CUmemPoolPtrExportData()
    put_bytes(struct, data)
    return keep(label, cu.cuMemPoolImportPointer(number(source), struct))


def import_pool_in(importer, label, fd):
    if isinstance(fd, str):
        return f"no descriptor: {fd}"
    code = importer.ask(import_pool, label, fds=[fd])
    os.close(fd)
    return code


def shared_pool():
    """Pool "o" of this process with memory "a", and another that has them as "p" and "b"."""
    pool("o"), take_from_pool("a", "o")
    importer = OtherProcess()
    import_pool_in(importer, "p", pool_descriptor("o"))
    importer.ask(import_pointer, "b", "p", pointer_data("a"))
    return importer


@word
def free_in_stream(label):
    return [ask(cu.cuMemFreeAsync(number(label), 0)), ask(cu.cuStreamSynchronize(0))]


@word
def destroy_pool(label):
    return ask(cu.cuMemPoolDestroy(number(label)))


@word
def used_memory(label):
    return outcome(cu.cuMemPoolGetAttribute(number(label), ATTRIBUTES["USED_MEM_CURRENT"]))


def pool_access(label):
    return [outcome(cu.cuMemPoolGetAccess(number(label), location())), ask(cu.cuMemPoolSetAccess(number(label), [access("read and write")], 1)),
            outcome(cu.cuMemPoolGetAccess(number(label), location()))]
