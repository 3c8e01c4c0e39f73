"""Virtual memory management (cuda.h: Virtual Memory Management)."""
import ctypes

from ..libcuda.library import INITIALIZED, call, i32, pointer, size, u64
from ..libcuda.output import load, load_array, store, store_bytes
from ..libcuda.results import CallError, Result
from ..libcuda.state import driver
from ..memory import physical as physical_memory, virtual as virtual_memory
from ..memory.places import DEVICE, HOST, HOST_NUMA
from ..memory.virtual import READ, READ_WRITE
from ..memory.windows import GRANULARITY


class Location(ctypes.Structure):
    """CUmemLocation."""
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class AllocationProp(ctypes.Structure):
    """CUmemAllocationProp."""
    _fields_ = [("type", ctypes.c_int), ("requestedHandleTypes", ctypes.c_int), ("location", Location),
                ("win32HandleMetaData", ctypes.c_void_p), ("compressionType", ctypes.c_ubyte),
                ("gpuDirectRDMACapable", ctypes.c_ubyte), ("usage", ctypes.c_ushort), ("reserved", ctypes.c_ubyte * 4)]


class AccessDesc(ctypes.Structure):
    """CUmemAccessDesc."""
    _fields_ = [("location", Location), ("flags", ctypes.c_int)]


PINNED = 1    # CU_MEM_ALLOCATION_TYPE_PINNED
POSIX_FILE_DESCRIPTOR, FABRIC = 1, 8    # CUmemAllocationHandleType


def _invalid(why):
    return CallError(Result.INVALID_VALUE, why)


def _properties(address):
    """A CUmemAllocationProp that makes sense here, and its location."""
    prop = load(address, AllocationProp)
    if prop.type != PINNED:
        raise _invalid("physical memory is of type CU_MEM_ALLOCATION_TYPE_PINNED")
    if prop.requestedHandleTypes == FABRIC:
        raise CallError(Result.NOT_PERMITTED, "fabric handles need a fabric")
    if prop.requestedHandleTypes not in (0, POSIX_FILE_DESCRIPTOR):
        raise _invalid("no such type of handle on Linux")
    where = prop.location
    if where.type == DEVICE:
        driver.device(where.id)
    elif where.type not in (HOST, HOST_NUMA) or where.type == HOST_NUMA and where.id != 0:
        raise _invalid(f"no location of type {where.type}, id {where.id}")
    elif where.type == HOST and prop.requestedHandleTypes:
        raise _invalid("memory anywhere on the host is not shared; that of one of its NUMA nodes is")
    return prop, (where.type, where.id)


def _accessor(location):
    """Who is given access, as a pair. The host is one accessor, whatever its NUMA nodes."""
    if location.type in (HOST, HOST_NUMA):
        return HOST, 0
    if location.type != DEVICE or not 0 <= location.id < len(driver.devices):
        raise _invalid(f"nobody is at location type {location.type}, id {location.id}")
    return DEVICE, location.id


@call("cuMemAddressReserve", needs=INITIALIZED)
def mem_address_reserve(target: pointer, bytesize: size, alignment: size, hint: pointer, flags: u64):
    if flags:
        raise _invalid("no flags are defined")
    store(target, ctypes.c_size_t, 0)
    store(target, ctypes.c_size_t, virtual_memory.reserve(bytesize, alignment, hint).start)


@call("cuMemAddressFree", needs=INITIALIZED)
def mem_address_free(address: pointer, bytesize: size):
    virtual_memory.free(address, bytesize)


@call("cuMemCreate", needs=INITIALIZED)
def mem_create(target: pointer, bytesize: size, properties: pointer, flags: u64):
    if flags:
        raise _invalid("no flags are defined")
    if not bytesize or bytesize % GRANULARITY:
        raise _invalid(f"the size must be a multiple of {GRANULARITY}")
    prop, location = _properties(properties)
    store(target, ctypes.c_uint64, 0)
    shareable = prop.requestedHandleTypes == POSIX_FILE_DESCRIPTOR
    allocation = physical_memory.create(bytesize, location, prop.compressionType, bytes(prop), shareable)
    store(target, ctypes.c_uint64, allocation.handle)


@call("cuMemRelease", needs=INITIALIZED)
def mem_release(handle: u64):
    physical_memory.release(handle)


@call("cuMemRetainAllocationHandle", needs=INITIALIZED)
def mem_retain_allocation_handle(target: pointer, address: pointer):
    store(target, ctypes.c_uint64, virtual_memory.retain(address))


@call("cuMemMap", needs=INITIALIZED)
def mem_map(address: pointer, bytesize: size, offset: size, handle: u64, flags: u64):
    if flags:
        raise _invalid("no flags are defined")
    virtual_memory.map_memory(address, bytesize, offset, handle)


@call("cuMemUnmap", needs=INITIALIZED)
def mem_unmap(address: pointer, bytesize: size):
    virtual_memory.unmap(address, bytesize)


@call("cuMemSetAccess", needs=INITIALIZED)
def mem_set_access(address: pointer, bytesize: size, descriptions: pointer, count: size):
    rights = []
    for description in load_array(descriptions, count, AccessDesc):
        if description.flags not in (0, READ, READ_WRITE):
            raise _invalid(f"access flags are 0, {READ} or {READ_WRITE}")
        rights.append((_accessor(description.location), description.flags))
    virtual_memory.set_access(address, bytesize, rights)


@call("cuMemGetAccess", needs=INITIALIZED)
def mem_get_access(target: pointer, location: pointer, address: pointer):
    where = load(location, Location)
    if where.type == HOST:
        return store(target, ctypes.c_uint64, virtual_memory.access_of_whole_host(address))
    if where.type == DEVICE:
        driver.device(where.id)
    store(target, ctypes.c_uint64, virtual_memory.access(address, _accessor(where)))


@call("cuMemGetAllocationGranularity", needs=INITIALIZED)
def mem_get_allocation_granularity(target: pointer, properties: pointer, option: i32):
    load(properties, AllocationProp)    # whatever it says, an H200 has one granularity
    if option not in (0, 1):
        raise _invalid("the minimum (0) or the recommended (1) granularity")
    store(target, ctypes.c_size_t, GRANULARITY)


@call("cuMemGetAllocationPropertiesFromHandle", needs=INITIALIZED)
def mem_get_allocation_properties_from_handle(target: pointer, handle: u64):
    store_bytes(target, physical_memory.memory_of(handle).properties)


# -- file descriptors ---------------------------------------------------------------------------------------------

@call("cuMemExportToShareableHandle", needs=INITIALIZED)
def mem_export_to_shareable_handle(target: pointer, handle: u64, kind: i32, flags: u64):
    if flags or kind != POSIX_FILE_DESCRIPTOR or not target:
        raise _invalid("a file descriptor, a place for it, and no flags")
    store(target, ctypes.c_int, physical_memory.export(handle))


@call("cuMemImportFromShareableHandle", needs=INITIALIZED)
def mem_import_from_shareable_handle(target: pointer, descriptor: size, kind: i32):
    """The descriptor itself is passed where C has a pointer."""
    if kind != POSIX_FILE_DESCRIPTOR:
        raise CallError(Result.NOT_SUPPORTED if kind else Result.INVALID_VALUE, "on Linux, a file descriptor")
    if not target:
        raise _invalid("no place for the handle")

    def properties(location, compression):
        return bytes(AllocationProp(type=PINNED, location=Location(*location), compressionType=compression))
    allocation = physical_memory.import_from(ctypes.c_int(descriptor).value, properties)
    store(target, ctypes.c_uint64, allocation.handle)
