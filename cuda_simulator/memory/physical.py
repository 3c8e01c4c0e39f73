"""Memory that has no address: what `cuMemCreate` gives a handle of, and what a file descriptor can stand for.

A `Store` is the bytes; a `Physical` is a handle of them. `cuMemCreate` makes one of each. Exported to a file descriptor
and imported again, a store has further handles, each with its own count of owners. The bytes go when no handle, no
mapping and no descriptor is left.

Not here: addresses, and mapping memory at them (virtual.py).
"""
import itertools
import os
from dataclasses import dataclass, field

from ..libcuda import process_memory
from ..libcuda.results import CudaError, Result
from ..libcuda.state import driver, lock
from .allocations import memory
from .places import DEVICE
from .windows import Backing

_handles = itertools.count(0x51D0000001)    # odd numbers that are no address, so that a mix-up shows


def require(condition, why, result=Result.INVALID_VALUE):
    """Raise CudaError unless the condition holds."""
    if not condition:
        raise CudaError(result, why)


class Store:
    """Bytes of a device, or of the host, without an address."""

    def __init__(self, size, location):
        self.size, self.location = size, location    # location: (CUmemLocationType, id)
        self.handles = 0      # that stand for it
        self.token = -1       # once exported: the memory file whose copies stand for it
        self.file = -1        # of memory located on the host: the memory file with the bytes
        if self.on_host:
            if size + Backing.RESERVE > process_memory.available():
                raise CudaError(Result.OUT_OF_MEMORY, "this machine does not have that much memory")
            self.file = os.memfd_create("cuMemCreate")
            os.ftruncate(self.file, size)
            self.backing = process_memory.map_file(self.file, size)    # where the driver itself sees the bytes
        else:
            driver.device(location[1]).charge(size)
            self.backing = memory.backing.take(size)

    @property
    def on_host(self):
        return self.location[0] != DEVICE

    def descriptor(self):
        """A new file descriptor that stands for these bytes. The program closes it."""
        if self.token < 0:
            self.token = os.memfd_create("cuMemExportToShareableHandle")
            _exported[_identity(self.token)] = self
        return os.dup(self.token)

    def release_if_unused(self):
        """Give the bytes back once no handle and no descriptor stands for them."""
        if self.handles or self.token >= 0 and _is_open_elsewhere(self.token):
            return
        if self.token >= 0:
            del _exported[_identity(self.token)]
            os.close(self.token)
        if self.on_host:
            process_memory.unmap(self.backing, self.size)
            os.close(self.file)
        else:
            memory.backing.give(self.backing, self.size)
            driver.devices[self.location[1]].refund(self.size)


_exported = {}    # identity of a descriptor -> Store


def _identity(descriptor):
    """What all copies of one file descriptor have in common."""
    about = os.fstat(descriptor)
    return about.st_dev, about.st_ino


def _is_open_elsewhere(token):
    """Does the program hold a copy of this descriptor still? Nobody tells when it closes one, so this looks."""
    wanted = _identity(token)
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) != token and _identity(int(name)) == wanted:
                return True
        except OSError:    # closed since the folder was read
            continue
    return False


@dataclass(eq=False)
class Physical:
    """A handle of physical memory. Lives while somebody owns it or a mapping shows it."""
    store: Store
    properties: bytes           # the CUmemAllocationProp that cuMemGetAllocationPropertiesFromHandle tells
    shareable: bool = False     # may it be exported?
    owners: int = 1
    mappings: int = 0
    handle: int = field(default_factory=_handles.__next__)

    def __post_init__(self):
        self.size, self.location, self.on_host = self.store.size, self.store.location, self.store.on_host
        self.file, self.backing = self.store.file, self.store.backing
        self.store.handles += 1
        physicals[self.handle] = self

    def release_if_unused(self):
        """End the handle once nobody can reach it any more."""
        if not self.owners and not self.mappings:
            del physicals[self.handle]
            self.store.handles -= 1
            self.store.release_if_unused()


physicals = {}    # handle -> Physical


def create(size, location, properties, shareable):
    """Make physical memory of a device, or of the host: `size` is a multiple of the granularity."""
    with lock:
        for store in list(_exported.values()):    # the program may have closed their descriptors
            store.release_if_unused()
        return Physical(Store(size, location), properties, shareable)


def owned(handle):
    """The memory behind a handle that somebody holds, or INVALID_VALUE."""
    physical = physicals.get(handle)
    require(physical and physical.owners, "this is not the handle of physical memory, or it was released")
    return physical


def release(handle):
    """Give one hold on the memory back. While a mapping shows it, the memory stays."""
    with lock:
        physical = owned(handle)
        physical.owners -= 1
        physical.release_if_unused()


def export(handle):
    """A file descriptor for the memory behind a handle that was created to be shared."""
    with lock:
        physical = physicals.get(handle)    # as on an H200: of a mapped one whose owners are gone, too
        require(physical and physical.shareable, "created without a type of handle to share it by, or imported")
        return physical.store.descriptor()


def import_from(descriptor, properties_of):
    """A further handle of the memory that a file descriptor stands for; `properties_of` makes what it tells."""
    with lock:
        try:
            store = _exported[_identity(descriptor)]
        except (OSError, OverflowError, KeyError):
            raise CudaError(Result.UNKNOWN, f"{descriptor} is not a descriptor of exported memory") from None
        return Physical(store, properties_of(store.location))
