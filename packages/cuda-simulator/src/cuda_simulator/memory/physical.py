"""Memory that has no address: what `cuMemCreate` gives a handle of, and what a file descriptor can stand for.

A `Store` is the bytes; a `Physical` is a handle of them. `cuMemCreate` makes one of each. Exported to a file descriptor
and imported again, by this process or another, a store has further handles, each with its own count of owners. The bytes go
when no handle, no mapping and no descriptor is left. The descriptor is the memory file that has the bytes in it (memory_files.py).

Not here: addresses, and mapping memory at them (virtual.py).
"""
import itertools
from dataclasses import dataclass, field

from ..libcuda import process_memory
from ..libcuda.results import CallError, Result
from ..libcuda.state import driver, lock
from . import directory, memory_files
from .allocations import memory
from .moving import use
from .places import DEVICE, NO_DEVICE

_handles = itertools.count(0x51D0000001)    # odd numbers that are no address, so that a mix-up shows


def require(condition, why, result=Result.INVALID_VALUE):
    """Raise CallError unless the condition holds."""
    if not condition:
        raise CallError(result, why)


class Store:
    """Bytes of a device, or of the host, without an address: made here, or imported with the file that holds them."""

    def __init__(self, size, location, compression, file=None):
        self.size, self.location = size, location    # location: (CUmemLocationType, id)
        self.compression = compression               # CUmemAllocationCompType, as asked for; nothing here is compressed
        self.handles = 0      # that stand for it
        self.file = file      # that others may map: of memory on the host, of what is exported, of what is imported
        self.imported = file is not None
        self.identity = None if file is None else file.identity
        if self.on_host:
            if not self.imported:
                memory.require_room(self.size, "create")
                self.file = memory_files.create(self._name, size)
            self.backing = process_memory.map_file(self.file.descriptor, size)    # where the driver itself sees the bytes
        elif self.imported:
            self.backing = memory.backing.take_file(file, size)
            file.close()    # the mapping holds it, without a descriptor
            self.file = None
        else:
            driver.device(location[1]).charge(size)
            self.backing = memory.backing.take(size)
        self.places = directory.memory_came(self._device) if self._device else []

    @property
    def _device(self):
        """The device that it is on; None of memory on the host, and where the process does not see the device."""
        return None if self.on_host or self.location[1] == NO_DEVICE else driver.devices[self.location[1]]

    @property
    def on_host(self):
        """Is it memory of the host's?"""
        return self.location[0] != DEVICE

    @property
    def _name(self):
        """What an importer has to know, and reads from the file itself."""
        kind, number = self.location
        slot = number if self.on_host else driver.devices[number].slot
        return f"{_PHYSICAL}, location type {kind}, id {slot}, compression {self.compression}"

    def descriptor(self):
        """A new file descriptor that stands for these bytes. The program closes it."""
        if self.file is None:
            with use.by_nobody(), lock:
                self.file = self.file or memory.backing.move_to_file(self.backing, self.size, self._name)
        self.identity = self.file.identity
        _stores[self.identity] = self
        return self.file.new_descriptor()

    def release_if_unused(self):
        """Give the bytes back once no handle stands for them, and no descriptor and no other process has them."""
        if self.handles:
            return
        if self.file is None or self.imported:
            self._end()
        else:
            memory_files.when_free(self.file, lambda: self.handles or self._end())

    def _end(self):
        _stores.pop(self.identity, None)
        directory.memory_went(self.places)
        if self.on_host:
            process_memory.unmap(self.backing, self.size)
        else:
            memory.backing.give(self.backing, self.size)
        if not self.on_host and not self.imported:
            self._device.refund(self.size)
        if self.file is not None:
            self.file.close()


_PHYSICAL = "physical memory"
_stores = {}    # identity of a memory file -> Store, of what was exported or imported


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
        self.backing = self.store.backing
        self.store.handles += 1
        physicals[self.handle] = self

    @property
    def file(self):
        """The memory file with the bytes, of memory located on the host."""
        return self.store.file.descriptor

    def release_if_unused(self):
        """End the handle once nobody can reach it any more."""
        if not self.owners and not self.mappings:
            del physicals[self.handle]
            self.store.handles -= 1
            self.store.release_if_unused()


physicals = {}    # handle -> Physical


def create(size, location, compression, properties, shareable):
    """Make physical memory of a device, or of the host: `size` is a multiple of the granularity."""
    with lock:
        return Physical(Store(size, location, compression), properties, shareable)


def memory_of(handle):
    """The memory behind a handle that somebody holds, or INVALID_VALUE."""
    physical = physicals.get(handle)
    require(physical and physical.owners, "this is not the handle of physical memory, or it was released")
    return physical


def release(handle):
    """Give one hold on the memory back. While a mapping shows it, the memory stays."""
    with lock:
        physical = memory_of(handle)
        physical.owners -= 1
        physical.release_if_unused()


def export(handle):
    """A file descriptor for the memory behind a handle that was created to be shared."""
    physical = physicals.get(handle)    # as on an H200: of a mapped one whose owners are gone, too
    require(physical and physical.shareable, "created without a type of handle to share it by, or imported")
    return physical.store.descriptor()


def _local_location(kind, number):
    """The location that a file names, as this process numbers devices: one that it does not see is CU_DEVICE_INVALID."""
    if kind != DEVICE:
        return kind, number
    return kind, next((device.ordinal for device in driver.devices if device.slot == number), NO_DEVICE)


def import_from(descriptor, properties_of):
    """A further handle of the memory that a file descriptor stands for, whichever process made it; `properties_of` makes what
    the handle tells."""
    name = memory_files.name_given(descriptor)
    require(name, f"{descriptor} is not a descriptor of exported memory", Result.UNKNOWN)
    kind, *numbers = name.split(", ")
    require(kind == _PHYSICAL, f"a descriptor of {kind}", Result.NOT_SUPPORTED)
    *location, compression = (int(part.rpartition(" ")[2]) for part in numbers)
    with lock:
        file = memory_files.open_held(f"/proc/self/fd/{descriptor}")
        store = _stores.get(file.identity)
        if store is None:
            store = _stores[file.identity] = Store(file.size, _local_location(*location), compression, file)
        return Physical(store, properties_of(store.location, store.compression))
