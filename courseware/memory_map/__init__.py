"""The memory map: host addresses, device addresses, the physical memory behind them, and which ways lead across.

    >>> import pycuda.driver as cuda
    >>> from course_lib import pinned
    >>> from courseware import memory_map
    >>> host, on_device = pinned.allocate(16), cuda.mem_alloc(64)
    >>> seen = memory_map.look(host=host, on_device=on_device)
    >>> [(block.name, block.forward is not None, block.way_back is not None) for block in seen.scene.blocks]
    [('host', True, True), ('on_device', False, False)]

As the last line of a notebook's cell, ``memory_map.look()`` shows a picture, with the same facts in a table below it.
It asks the driver anew each time, and keeps nothing of the memory alive. ``memory_map.pages(memory)`` is a closer look
at managed memory: where each page is, as far as anything tells. ``memory_map.inside(kernel, addresses)`` is a closer
look into a launch: how many memories stand behind each number that its threads see.

Its parts: what to look at (gather.py), what the driver says (observe.py, reserved.py, backing.py), how it is drawn
(picture/) and written (table.py, descriptions.py); of pages, what is known (residency.py) and how it is shown
(page_map.py); and the inside of a launch (launch_map.py). What changes from one line to the next is shown by follow/.
"""
import html

from . import descriptions, gather, observe, table
from .launch_map import InsideMap, inside
from .page_map import PageMap, pages
from .picture import still

__all__ = ["InsideMap", "MemoryMap", "PageMap", "inside", "look", "pages"]

EMPTY = ("Nothing to show yet: no variable points to memory that CUDA knows. cuda.mem_alloc, cuda.pagelocked_empty and "
         "pinned.allocate make some. An ordinary NumPy array is shown by its name: memory_map.look(array).")


def look(*values, **named):
    """What the driver says now of memory, as a MemoryMap, which shows itself as the last line of a cell.

    With no argument: everything in CUDA's address spaces that the notebook's variables lead to, or the helpers made.
    Of a list or dict that a variable holds, the first 512 items are looked at, and the map says how many are not. A
    reservation is looked through for 1 GiB, and the map says so where it is longer.
    With arguments: these alone, under the names of their variables, or under names given: ``look(a, b, part=a[3:])``.
    An argument is whatever has an address: an allocation or array of PyCUDA's, a NumPy array, pageable ones too, an
    object of this course, an int. Lists and dicts of these are looked into.

    Never raises for the state of the driver: the map says if there is no context, or if a kernel has broken CUDA.
    Raises WrongPointer for an argument that has no address.

    CUDA calls: those of pointers.facts, and cuMemHostGetDevicePointer; for reservations cuMemRetainAllocationHandle,
    cuMemGetAccess.
    """
    return MemoryMap(observe.scene(lambda: gather.arguments(values, named) if values or named else gather.everything()))


class MemoryMap:
    """What `look` saw. It shows itself in a notebook; `scene` has its facts."""

    def __init__(self, scene):
        self.scene = scene

    @property
    def picture(self):
        """The picture alone, as HTML."""
        return still.html(self.scene)

    def __repr__(self):
        facts = self.scene.trouble or self._if_empty() or table.text(self.scene)
        return "\n".join(filter(None, [facts, descriptions.left_out(self.scene)]))

    def _repr_html_(self):
        if self.scene.trouble or not self.scene.blocks:
            return f"<p>{html.escape(self.scene.trouble or self._if_empty())}</p>"
        return (f"{self.picture}<details><summary>The same as a table, and how to read this map</summary>"
                f"{table.html(self.scene)}<p>{still.notes(self.scene)}</p></details>")

    def _if_empty(self):
        return "" if self.scene.blocks else EMPTY
