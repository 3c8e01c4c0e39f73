"""A block of every kind of memory, in every state: what table-driven questions walk through.

    for kind, block in blocks("device", "pinned"):
        yield kind, ask(cu.cuMemcpyDtoH(buffer, block.address, 16))

A maker allocates in the current context and returns a MemoryOfKind; its size is 64 KiB, or 2 MiB where virtual memory
management demands it.
"""
import ctypes
import dataclasses
import mmap

import numpy as np
from cuda.bindings import driver as cu

from . import kernels
from .calls import must

SMALL = 64 << 10
LARGE = 2 << 20
RW, R, NONE = "read and write", "read", "none"    # rights of virtual memory management


@dataclasses.dataclass
class MemoryOfKind:
    kind: str
    address: int
    size: int = SMALL
    keep: object = None       # what must live as long as the block
    handle: object = None     # of virtual memory management
    release: object = None    # gives the memory back


KINDS = {}


def kind(title):
    def register(make):
        KINDS[title] = make
        return make
    return register


def make(title):
    block = KINDS[title]()
    block.kind = title
    return block


def blocks(*titles, without=()):
    """(title, block) for the kinds named, or for all; each is given back when the next is asked for."""
    for title in titles or KINDS:
        if title not in without:
            block = make(title)
            yield title, block
            if block.release:
                block.release()


def pages(size=SMALL, protection=mmap.PROT_READ | mmap.PROT_WRITE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, fd=-1,
          address=None, touched=True):
    """Address of fresh pages straight from the operating system, which stay until `unmap`. Not `touched`, they take no memory.

    Behind them is a page that nobody may use, so that no other memory begins where they end.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    alone = address is None and fd == -1 and not flags & mmap.MAP_SHARED
    length = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
    start = libc.mmap(address, length + mmap.PAGESIZE if alone else size, protection, flags, fd, 0)
    if start == ctypes.c_void_p(-1).value:
        raise MemoryError("mmap")
    if alone:
        libc.mprotect(ctypes.c_void_p(start + length), ctypes.c_size_t(mmap.PAGESIZE), 0)
    if touched and protection & mmap.PROT_WRITE:
        ctypes.memset(start, 0, size)
    return start


def unmap(address, size=SMALL):
    ctypes.CDLL(None).munmap(ctypes.c_void_p(address), ctypes.c_size_t(size))


@kind("pageable")
def pageable():
    address = pages()
    return MemoryOfKind("", address, release=lambda: unmap(address))


def _pinned(flags):
    address = int(must(cu.cuMemHostAlloc(SMALL, flags)))
    return MemoryOfKind("", address, release=lambda: cu.cuMemFreeHost(address))


@kind("pinned")
def pinned():
    return _pinned(0)


@kind("pinned, portable and write-combined")
def pinned_write_combined():
    return _pinned(5)


def _registered(protection=mmap.PROT_READ | mmap.PROT_WRITE, flags=0, offset=0, size=SMALL):
    address = pages(protection=protection)
    must(cu.cuMemHostRegister(address + offset, size, flags))

    def release():
        cu.cuMemHostUnregister(address + offset)
        unmap(address)
    return MemoryOfKind("", address + offset, size, release=release)


@kind("registered")
def registered():
    return _registered()


@kind("registered, unaligned")
def registered_unaligned():
    return _registered(offset=100, size=5000)


@kind("registered, read-only")
def registered_read_only():
    return _registered(protection=mmap.PROT_READ, flags=8)


@kind("device")
def device():
    address = int(must(cu.cuMemAlloc(SMALL)))
    return MemoryOfKind("", address, release=lambda: cu.cuMemFree(address))


@kind("device, 3 MiB")
def device_large():
    address = int(must(cu.cuMemAlloc(3 << 20)))
    return MemoryOfKind("", address, 3 << 20, release=lambda: cu.cuMemFree(address))


@kind("stream-ordered")
def stream_ordered():
    address = int(must(cu.cuMemAllocAsync(SMALL, 0)))
    must(cu.cuStreamSynchronize(0))
    return MemoryOfKind("", address, release=lambda: cu.cuMemFreeAsync(address, 0))


@kind("managed")
def managed():
    address = int(must(cu.cuMemAllocManaged(SMALL, 1)))
    return MemoryOfKind("", address, release=lambda: cu.cuMemFree(address))


@kind("managed, attached to the host")
def managed_host():
    address = int(must(cu.cuMemAllocManaged(SMALL, 2)))
    return MemoryOfKind("", address, release=lambda: cu.cuMemFree(address))


def location(place="device", ordinal=0):
    place_ = cu.CUmemLocation()
    place_.type = {"device": cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE,
                   "host": cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_HOST,
                   "host numa": cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_HOST_NUMA}[place]
    place_.id = ordinal
    return place_


def properties(place="device", ordinal=0, handle_type=0):
    """CUmemAllocationProp for memory at a place."""
    description = cu.CUmemAllocationProp()
    description.type = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    description.location = location(place, ordinal)
    description.requestedHandleTypes = cu.CUmemAllocationHandleType(handle_type)
    return description


def access(rights, place="device", ordinal=0):
    """CUmemAccessDesc; rights are "none", "read" or "read and write"."""
    description = cu.CUmemAccessDesc()
    description.location = location(place, ordinal)
    description.flags = cu.CUmemAccess_flags({"none": 0, "read": 1, "read and write": 3}[rights])
    return description


def reserve(size=LARGE):
    """The address of a fresh reservation."""
    return int(must(cu.cuMemAddressReserve(size, 0, 0, 0)))


def create(size=LARGE, **where_to):
    """A handle of fresh physical memory; see properties()."""
    return must(cu.cuMemCreate(size, properties(**where_to), 0))


def set_access(address, size=LARGE, rights=RW, place="device"):
    return cu.cuMemSetAccess(address, size, [access(rights, place)], 1)


def mapped(rights=("read and write",), place="device", size=LARGE):
    """Reserve, create, map and set access for the device; then one access descriptor for each further right."""
    address = int(must(cu.cuMemAddressReserve(size, 0, 0, 0)))
    handle = must(cu.cuMemCreate(size, properties(place), 0))
    must(cu.cuMemMap(address, size, 0, handle, 0))
    for right in rights:
        right, _, who = right.partition(" for ")
        must(cu.cuMemSetAccess(address, size, [access(right, who or "device")], 1))

    def release():
        cu.cuMemUnmap(address, size)
        cu.cuMemRelease(handle)
        cu.cuMemAddressFree(address, size)
    return MemoryOfKind("", address, size, handle=handle, release=release)


KINDS["mapped"] = mapped
KINDS["mapped, read access"] = lambda: mapped(["read"])
KINDS["mapped, access never set"] = lambda: mapped([])
KINDS["mapped, access taken away"] = lambda: mapped(["read and write", "none"])
KINDS["mapped, on the host"] = lambda: mapped(["read and write", "read and write for host numa"], "host numa")
KINDS["mapped, on the host, device access only"] = lambda: mapped(["read and write"], "host numa")


@kind("reserved only")
def reserved():
    address = int(must(cu.cuMemAddressReserve(LARGE, 0, 0, 0)))
    return MemoryOfKind("", address, LARGE, release=lambda: cu.cuMemAddressFree(address, LARGE))


@kind("module variable")
def module_variable():
    address, size = must(cu.cuModuleGetGlobal(kernels.module(), b"zeros"))
    return MemoryOfKind("", int(address), int(size))


@kind("constant variable")
def constant_variable():
    address, size = must(cu.cuModuleGetGlobal(kernels.module(), b"table"))
    return MemoryOfKind("", int(address), int(size))


@kind("kernel heap")
def kernel_heap():
    out = np.zeros(1, np.uint64)
    cell = must(cu.cuMemAlloc(8))
    must(kernels.run("heap_take", SMALL, int(cell)))
    must(cu.cuMemcpyDtoH(out, cell, 8))
    cu.cuMemFree(cell)
    return MemoryOfKind("", int(out[0]))


# Freed blocks are of a size that nothing else here allocates, and are freed while a neighbour of that size lives: small
# ones are parts of a larger piece that stays, and an address may be given again (pointer_attributes.freed_small).
FREED = 24 << 20


@kind("freed device")
def freed_device():
    freed, neighbour = (int(must(cu.cuMemAlloc(FREED))) for _ in range(2))
    must(cu.cuMemFree(freed))
    return MemoryOfKind("", freed, keep=neighbour, release=lambda: cu.cuMemFree(neighbour))


@kind("freed pinned")
def freed_pinned():
    freed, neighbour = (int(must(cu.cuMemHostAlloc(FREED, 0))) for _ in range(2))
    must(cu.cuMemFreeHost(freed))
    return MemoryOfKind("", freed, keep=neighbour, release=lambda: cu.cuMemFreeHost(neighbour))


@kind("unregistered")
def unregistered():
    address = pages()
    must(cu.cuMemHostRegister(address, SMALL, 0))
    must(cu.cuMemHostUnregister(address))
    return MemoryOfKind("", address, release=lambda: unmap(address))


@kind("freed reservation")
def freed_reservation():
    address = int(must(cu.cuMemAddressReserve(1 << 30, 1 << 30, 0, 0)))
    must(cu.cuMemAddressFree(address, 1 << 30))
    return MemoryOfKind("", address + (512 << 20), LARGE)


@kind("never allocated")
def never_allocated():
    address = pages(1 << 30, protection=0)
    return MemoryOfKind("", address, release=lambda: unmap(address, 1 << 30))


KINDS["null"] = lambda: MemoryOfKind("", 0)
KINDS["the number 1"] = lambda: MemoryOfKind("", 1)
KINDS["not a canonical address"] = lambda: MemoryOfKind("", 1 << 62)
