"""Devices and contexts: who owns memory, streams, events and modules, and frees them at its end."""
import itertools
import sys
from collections import Counter

from ..libcuda.process_memory import round_up
from ..libcuda.results import CallError, Result
from ..libcuda.state import contexts, driver, thread
from ..memory import address_spaces, memory_files, pools
from ..memory.allocations import memory
from ..memory.heap import KernelHeap
from ..memory.windows import GRANULARITY
from ..systems import current_system
from . import device_facts, memory_size, streams, visible
from .printed import Printed
from .streams import Stream


class Device:
    """One simulated device: its attributes, its primary context, and how much of its memory is taken.

    `ordinal` is its number in this process, `slot` its number on the machine (visible.py).
    """

    def __init__(self, ordinal, slot):
        self.ordinal, self.slot, self.uuid = ordinal, slot, visible.uuid(slot)
        self.name = current_system().device_name(device_facts.NAME)
        self.total_memory = memory_size.total()
        self.attributes = {**device_facts.ATTRIBUTES, **current_system().attributes}
        for attribute in (device_facts.PCI_DEVICE, device_facts.BOARD_GROUP):
            self.attributes[attribute] += slot
        self.used_memory = 0
        self.peers = Counter()         # contexts of other devices -> how many of this one's have access to their memory
        self.primary = None            # the primary context while somebody retains it
        self.primary_retained = 0
        self.primary_flags = 0
        self.primary_handle = None     # the same for every primary context of the device

    @property
    def free_memory(self):
        """What cuMemGetInfo reports as free. Of what several processes share, the one that made it counts it."""
        memory_files.settle()
        return self.total_memory - device_facts.CONTEXT_MEMORY - self.used_memory

    def charge(self, size):
        """Take memory of the device, which gives it out in whole granules; OUT_OF_MEMORY where it has not enough."""
        if size > self.free_memory:
            pools.release_all(self)
        if size > self.free_memory:
            raise CallError(Result.OUT_OF_MEMORY, f"{size} bytes asked for, {self.free_memory} free")
        self.used_memory += round_up(size, GRANULARITY)

    def refund(self, size):
        """Give memory back."""
        self.used_memory -= round_up(size, GRANULARITY)


HEAP_LIMIT = 2    # CU_LIMIT_MALLOC_HEAP_SIZE


class Context:
    """What a context owns. Its handle is a number that is never used again, but by primary contexts."""

    _handles = itertools.count(0xC0_0000_1000, 0x10)

    def __init__(self, device, flags, handle=None):
        self.device, self.flags = device, flags
        self.handle = handle or next(self._handles)
        self.id = (self.handle >> 4) & 0xFFFF
        self.destroyed = False
        self.retained = 1                        # cuCtxAttach and cuCtxDetach count
        self.null_stream = Stream(self, null=True)
        self.streams, self.events, self.modules = set(), set(), set()    # what the program made, until destroyed
        self.event_file = None                   # with its events for other processes (interprocess_events.py)
        self.space = address_spaces.of_new_context()    # its numbers for device memory
        self.blocks = {}                         # kind of memory -> blocks that small allocations share
        self.heap = KernelHeap(self)
        self.limits = dict(device_facts.LIMITS)
        self.peers = set()                       # contexts of other devices to whose memory this one enabled access
        self.cache_config = 0                    # CU_FUNC_CACHE_PREFER_NONE
        self.printed = Printed(self.limits)      # by kernels
        self.loading = []                        # the work that was under way when the driver last loaded something
        self.prepared = set()                    # functions of the device runtime that kernels have called
        self.messages = []                       # how they failed, and what was found: ("stderr", text)
        contexts[self.handle] = self

    def synchronize(self):
        """Wait for all work of the context."""
        for stream in (self.null_stream, *self.streams):
            stream.wait()
        self.streams.difference_update([stream for stream in tuple(self.streams) if stream.destroyed])

    def under_way(self):
        """The work that is last in each stream, of streams that have any."""
        tails = [stream.tail for stream in (self.null_stream, *self.streams)]
        return [work for work in tails if work is not None and not work.done]

    def load(self):
        """Put something into the device: it gets there behind all work that is under way, and what streams are given later comes
        behind it (CUDA C++ Programming Guide, "Lazy Loading"; an H200 does so). No program may count on that order, so it is not
        kept while orders are tried."""
        if streams.hold is None:
            self.loading = self.under_way()

    def prepare(self, builtins):
        """Before the first launch of a kernel that prints, or uses the heap: an H200 sets up what it needs for that then."""
        if not builtins <= self.prepared:
            self.prepared |= builtins
            self.load()

    def users(self):
        """This context, and those whose kernels reach its memory as peers."""
        if len(driver.devices) == 1:
            return [self]
        return [self, *(context for context in contexts.values() if self in context.device.peers and not context.destroyed)]

    def settle(self):
        """Wait for all work, whatever becomes of it: before something of the context ends."""
        try:
            self.synchronize()
        except CallError:
            self.report()

    def report(self):
        """Show what kernels printed and how they failed, on the thread that waited for them.

        A GPU's driver prints at the same moments: when the host synchronises. In a notebook this puts the text
        under the cell that waited.
        """
        messages, self.messages = self.messages, []
        for name, text in self.printed.take() + messages:
            print(text, end="", file=getattr(sys, name), flush=True)

    def enable_peer(self, peer):
        """Give kernels access to what cuMemAlloc gives a context of another device: those of all contexts of this device."""
        self.peers.add(peer)
        self.device.peers[peer] += 1

    def disable_peer(self, peer):
        """Take it away, unless another context of this device enabled it as well."""
        self.peers.remove(peer)
        self.device.peers[peer] -= 1
        if not self.device.peers[peer]:
            del self.device.peers[peer]

    def destroy(self):
        """End the context: its work is finished first, then everything it owns is freed."""
        self.settle()
        self.destroyed = True
        for peer in list(self.peers):
            self.disable_peer(peer)
        for module in tuple(self.modules):
            module.free_variables()    # managed ones are in no context
        for allocation in memory.allocations:
            if allocation.context is self:
                memory.free(allocation)
        if self.space.own:
            for allocation in memory.allocations:
                if view := allocation.views.pop(self.space, None):
                    view.end_of(memory.allocations)
        self.heap.close()
        self.space.close()
        functions = [function for module in tuple(self.modules) for function in module.functions.values()]
        for owned in (*self.streams, *self.events, *self.modules, *functions):
            owned.destroyed = True
        if self.event_file:
            self.event_file.close()
        thread.streams.pop(self, None)
        self.streams.clear()
        self.modules.clear()
        self.events.clear()


def find(handle):
    """The living context of that handle; CONTEXT_IS_DESTROYED for any other number."""
    context = contexts.get(handle)
    if context is None or context.destroyed:
        raise CallError(Result.CONTEXT_IS_DESTROYED, f"{handle:#x} is not a context, or it was destroyed")
    return context


def pop():
    """Take the current context off this thread's stack; its handle."""
    if not thread.contexts:
        raise CallError(Result.INVALID_CONTEXT, "no context is current on this thread")
    return thread.contexts.pop()
