"""Memory pools that several processes have: exported and imported as a file descriptor, and pointers into them.

All memory of a pool that may be shared lies in one memory file. The descriptor is that file, so what was exported lasts when
the exporter has ended. A pointer's 64 bytes say where in the file it is.

Not here: pools of one process (pools.py).
"""
import struct

from ..libcuda.results import CallError, Result
from ..libcuda.state import driver, lock
from . import memory_files
from .allocations import memory
from .blocks import ForeignBlock, ForeignHostBlock, foreign
from .places import DEVICE, NO_DEVICE
from .pools import FILE_NAME, ON_HOST, Pool

SIZE = 64    # bytes of CUmemPoolPtrExportData
_MAGIC = b"sim.pool"
_POINTER = struct.Struct("=Q QQ QQ 8s")    # inode of the file; offset and size of the block in it; of the pointer in the block


class ImportedPool(Pool):
    """Another process's pool. It gives no memory and has no attributes; it says where pointers into it are. Imported again, it is
    counted, and has to be destroyed as often."""
    imported = True
    in_file = 0    # what was opened of it is mapped without the descriptor

    def __init__(self, slot, file, on_host=False):
        """`slot` is that of its device on the machine. Where this process does not see that, its memory counts as the first
        device's, and no device has access from the start, as on two H200s."""
        device = next((visible for visible in driver.devices if visible.slot == slot), None)
        super().__init__(device or driver.devices[0], on_host=on_host)
        self.file, self.pointers, self.imports = file, 0, 1
        _imported[file.identity] = self
        if device is None and not on_host:
            self.place, self.access = (DEVICE, NO_DEVICE), {}

    def give(self, allocation, free=None):
        """A pointer is not used any more."""
        self.pointers -= 1

    def check_end(self):
        if self.pointers:
            raise CallError(Result.INVALID_VALUE, "pointers of it are imported still")

    def let_go(self):
        with lock:
            self.imports -= 1
            if not self.imports:
                del _imported[self.file.identity]
            return not self.imports


_imported = {}    # identity of a pool's file -> ImportedPool


def export(pool):
    """A descriptor that stands for a pool."""
    pool.exported = True
    return pool.file.new_descriptor()


def import_from(descriptor):
    """The pool that a descriptor stands for. Its handle is not the exporter's, and the same each time."""
    name = memory_files.name_given(descriptor)
    if name is None:
        raise CallError(Result.UNKNOWN, f"{descriptor} is not a descriptor of a pool")
    kind, _, slot = name.rpartition(" ")
    if kind != FILE_NAME and name != ON_HOST:
        raise CallError(Result.NOT_SUPPORTED, f"a descriptor of {kind}")
    with lock:
        file = memory_files.open_held(f"/proc/self/fd/{descriptor}")
        pool = _imported.get(file.identity)
        if pool is None:
            return ImportedPool(int(slot), file, name == ON_HOST)
        file.close()
        pool.imports += 1
        return pool


def pointer_data(address):
    """The 64 bytes that stand for a pointer into an exported pool."""
    allocation = memory.at(address)
    pool = allocation and allocation.pool
    if pool is None or pool.imported or pool.file is None or not pool.exported or allocation.start != address:
        raise CallError(Result.INVALID_VALUE, "this is not the start of memory of a pool that was exported")
    block = allocation.block
    packed = _POINTER.pack(pool.file.identity[1], block.offset, block.size, address - block.start, allocation.size, _MAGIC)
    return packed.ljust(SIZE, b"\0")


def import_pointer(pool, data):
    """The allocation of another process that `data` stands for; the same one if it is imported already."""
    inode, offset, size, inside, length, magic = _POINTER.unpack(data[:_POINTER.size])
    if magic != _MAGIC or not pool.imported or pool.file.identity[1] != inode:
        raise CallError(Result.INVALID_VALUE, "this is no pointer into that pool")
    with lock:
        key = pool, offset
        block = foreign.get(key) or (ForeignHostBlock if pool.on_host else ForeignBlock)(pool, key, pool.file, size, offset)
        allocation = memory.at(block.start + inside)
        if allocation is not None and (allocation.start, allocation.size) == (block.start + inside, length):
            return allocation
        pool.pointers += 1
        return memory.add_opened(block, inside, length, pool)


def may_be_shared(pool):
    """Is it a pool of this process's that a descriptor may stand for?"""
    return pool.file is not None and not pool.imported
