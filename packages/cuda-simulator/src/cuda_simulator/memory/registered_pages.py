"""A second view of registered pages, so that the device keeps them whatever the host does with its own mapping.

A GPU's page tables lead to the pages themselves: the host may unmap them, move them, close them, or map others in their place,
and a kernel goes on reading what was registered. Here the device has them by a view of its own, another mapping of the same pages.

- What is shared already, such as a mapping of a memory file, is mapped a second time.
- Private pages that no file has are put into a memory file first, at their place, and come back when they are unregistered. A
  thread that writes to them in just that moment may lose what it writes.

Only whole pages: of a registered range that begins or ends within one the device uses the host's view. Not here: what is registered
(allocations.py), and the rights of a device (device/execution.py).
"""
import ctypes
import os
import weakref

from ..libcuda import process_memory
from ..libcuda.process_memory import PAGE, BadAddress
from ..libcuda.results import CallError
from . import memory_files

_NONE_CAN_BE_HAD = MemoryError, OSError, CallError, BadAddress
_PIECE = 2 << 20    # of what is put into a memory file: never twice the memory


class SecondView:
    """Registered pages at a place of the simulator's own. `delta`: from the host's address of a byte to the byte there."""

    def __init__(self, start, size, mappings):
        self.start, self.size = start, size
        self.at = process_memory.reserve(size)
        self.delta = self.at - start
        self._from_private = []     # (start, end) of what came out of private pages, and (device, inode) of the file it is in
        try:
            for low, high, rights in mappings:
                low, high = max(low, start), min(high, start + size)
                if rights[3] == "s":
                    process_memory.map_again(low, high - low, low + self.delta)
                else:
                    self._share(low, high, rights)
        except _NONE_CAN_BE_HAD:
            self.give_back()
            raise
        process_memory.not_for_children(self.at, size)
        _views.add(self)

    def _share(self, low, high, rights):
        """Put private pages into a memory file, and map that at their place and at ours."""
        with_file = memory_files.create("registered pages", high - low)
        try:
            process_memory.map_file(with_file.descriptor, high - low, low + self.delta)
            self._from_private.append((low, high, with_file.identity))
            for start in range(low, high, _PIECE):
                length = min(_PIECE, high - start)
                os.pwrite(with_file.descriptor, process_memory.read(start, length), start - low)
                process_memory.map_file(with_file.descriptor, length, start, start - low)
            process_memory.protect(low, high - low, "r" in rights, "w" in rights)
        finally:
            with_file.close()

    def private_pieces(self):
        """(start, size, rights) of the host's mappings that are still those of private pages."""
        for low, high, identity in self._from_private:
            yield from process_memory.mapped_from(identity, low, high)

    def give_back(self):
        """The pages are the host's alone again, where it still has them."""
        for start, size, rights in list(self.private_pieces()):
            process_memory.renew_pages(start, size)
            ctypes.memmove(start, start + self.delta, size)
            process_memory.protect(start, size, "r" in rights, "w" in rights)
        self._from_private = []
        _views.discard(self)
        process_memory.unmap(self.at, self.size)


_views = weakref.WeakSet()
_saved_pages = []   # [(start, bytes, rights)] of private pages, while a child is forked


def of(start, size, mapped):
    """The SecondView of a registered range with these mappings; None where it has none."""
    if start % PAGE or size % PAGE:
        return None
    if not all(mapping.rights[3] == "s" or mapping.file == "0" and not mapping.name for mapping in mapped):
        return None     # private pages of a file, a stack, the heap of malloc
    try:
        return SecondView(start, size, [mapping[:3] for mapping in mapped])
    except _NONE_CAN_BE_HAD:
        return None


def _keep_private():
    _saved_pages[:] = [(start, process_memory.read(start, size), rights) for view in list(_views)
                       for start, size, rights in view.private_pieces() if "r" in rights]


def _private_in_child():
    """A child has private pages of its own, as if they had never been in a file."""
    for start, content, rights in _saved_pages:
        process_memory.renew_pages(start, len(content))
        ctypes.memmove(start, content, len(content))
        process_memory.protect(start, len(content), "r" in rights, "w" in rights)
    _saved_pages.clear()
    _views.clear()


os.register_at_fork(before=_keep_private, after_in_parent=_saved_pages.clear, after_in_child=_private_in_child)
