"""A kernel on the simulated device: what the interpreter may ask of the driver while it runs.

The interpreter (ptx/) knows instructions. It knows nothing of allocations: for every access it asks the
`KernelMachine` where the bytes are, and the machine refuses what the device has no right to.
"""
import contextlib
import os
import threading
import time

import numpy as np

from .. import ptx
from ..examination.findings import tell
from ..libcuda import interrupts
from ..libcuda.process_memory import allows
from ..libcuda.results import CallError, Result
from ..memory import heap
from ..memory.address_spaces import NOWHERE
from ..memory.advice import PAGE
from ..memory.allocations import MANAGED_KINDS, ON_ONE_DEVICE, AllocationKind, memory
from ..memory.blocks import PoolBlock
from ..memory.moving import use
from ..memory.transfers import bytes_at
from ..memory.views import UNIFIED
from ..memory.windows import GRANULARITY
from ..memory.written import unexamined_launch
from ..processor_time import seconds_without_a_core
from ..systems import current_system
from . import endings
from .context import HEAP_LIMIT
from .faults import freed_at, nearest
from .host_pages import HostPages
from .strays import Strays
from .touches import Touches

WATCHDOG = "CUDA_SIMULATOR_KERNEL_SECONDS"    # environment variable: how long one kernel may run
_DEFAULT_SECONDS = 60.0
STUCK_SECONDS = 0.5                           # after which blocks that wait for others which cannot begin are ended
GONE = "As on a GPU after a fault, calls of CUDA fail from now on in this process: start a new one."
OWN_KINDS = ON_ONE_DEVICE - {AllocationKind.OPENED}    # that only work of this process changes, if they were not shared
SMALL = 64 << 20      # bytes of an allocation that are taken into use at once
_NOTHING, _VERBS = "no memory that this kernel may ", {"read": "read", "write": "write", "atomic": "update"}
_WRAP = (1 << 64) - 1


def kernel_seconds():
    """How long one kernel may run, in seconds; ValueError where CUDA_SIMULATOR_KERNEL_SECONDS is no such number."""
    asked_for = os.environ.get(WATCHDOG, _DEFAULT_SECONDS)
    try:
        seconds = float(asked_for)
    except ValueError:
        seconds = 0
    if not seconds > 0:
        raise ValueError(f"{WATCHDOG} is {asked_for!r}: it has to be a number of seconds above 0, such as 300")
    return seconds


class Stopped(Exception):
    """A kernel that did not end was ended. `reason` says why; the message has what to do about it as well.

    `place` says where a thread of it was, as a KernelFault, or is None.
    """

    def __init__(self, reason, place=None, advice=""):
        super().__init__(f"{reason} {GONE}{advice}")
        self.reason, self.place = reason, place


def run(work, context, function, grid, block, parameters, shared_bytes, observer=None, session=None, site=None, cooperative=False):
    """Run one launch to its end; a fault is described to the learner and breaks CUDA for its process.

    site: where the program asked for it, and what was allocated then;  cooperative: its blocks may wait for each other (grid.sync)
    """
    machine = (MachineOfOwnNumbers if context.space.own else KernelMachine)(work, context, function)
    barrier = None
    if cooperative and "%envreg" in function.module.text:
        barrier = memory.add_device(8, context, AllocationKind.VARIABLE, "grid.sync")
        machine.grid_barrier = barrier.start
        bytes_at(barrier.start + barrier.delta, 8)[:] = 0
    strays = machine.strays
    examiner = session and session.examiner(function)
    machine.examined = examiner is not None
    if examiner is None:
        unexamined_launch()
    ended = None
    try:
        ptx.run(function.kernel, grid, block, parameters, shared_bytes, machine, observer=observer, examiner=examiner)
    except ptx.KernelFault as fault:
        # An address of a block's or a thread's own memory is near nothing that the driver knows.
        has_nearest = fault.address is not None and fault.space not in endings.OWN
        address = fault.address if has_nearest else None
        if has_nearest and context.space.own and (inside := context.space.inside(fault.address)) != NOWHERE:
            address = inside
        where = f"\n{fault.address:#x} is {nearest(address, context.device)}" if has_nearest else ""
        reason = f"{fault.describe()}{where}"
        context.messages.append(("stderr", f"{reason}\n"))
        ended = examiner and endings.of_fault(examiner, fault, context.device)
        raise CallError(Result(fault.code), reason) from None
    except Stopped as stopped:
        context.messages.append(("stderr", f"{stopped}\n"))
        ended = examiner and stopped.place and endings.of_endless(examiner, stopped.place)
        raise CallError(Result.LAUNCH_TIMEOUT, stopped.reason) from None
    finally:
        if barrier:
            memory.free(barrier)
        if examiner is not None:
            session.add(examiner, [*strays.findings(), *([ended] if ended else [])], work.stamp, site)
        else:
            findings = strays.findings()
            for finding in findings:
                tell(finding)
            messages = [("stderr", f"finding: {finding}\n") for finding in findings]
            context.messages += [message for message in messages if message not in context.messages]    # many launches, one wait: said once


_atomic = threading.Lock()


class _AtomicInFile:
    """Its first byte stands for all of the file. Who is killed meanwhile has let go of it."""

    def __init__(self, file):
        self._locked = file.locked(0, 1)

    def __enter__(self):
        _atomic.acquire()
        try:
            self._locked.__enter__()
        except BaseException:
            _atomic.release()
            raise

    def __exit__(self, *failure):
        self._locked.__exit__(*failure)
        _atomic.release()


class KernelMachine:
    """Memory, heap, output and time, as one running kernel has them."""

    examined = False    # are its accesses looked at, by their places in this process?
    grid_barrier = 0    # the address where blocks of a cooperative launch meet

    def __init__(self, work, context, function):
        self._work, self._context, self._name = work, context, function.name
        self.symbols = function.module.symbols
        self._seconds = kernel_seconds()
        self._deadline, self._queued = time.monotonic() + self._seconds, None
        self._own_memory, self._stuck_since = True, None    # does it use what only the device reaches?  since when nothing can change
        self._table_version = None
        self._looked_at = {}    # (registered memory, access) -> does the host still let it?
        self.strays, self._by_page = Strays(function), False
        self._touches = Touches(function.name, context.device)
        self._host_pages = HostPages() if current_system().pageable_access else None

    # -- memory ----------------------------------------------------------------------------------------------------

    @staticmethod
    def exclusive(place):
        """A context manager: meanwhile no other thread, and no process that has the memory too, does an atomic operation there."""
        file = memory.backing.file_at(place)
        return _atomic if file is None else _AtomicInFile(file)

    @property
    def version(self):
        """Changes whenever an answer of `locate` or `range_of` might."""
        return memory.allocations.version, heap.blocks.version

    def allocation_at(self, address):
        """The memory that holds `address`: what lives, and what was freed since this kernel was given to its stream."""
        return memory.seen_from(self._work.moment, address) or heap.blocks.at(address)

    def _usable(self, allocation, access):
        """May a kernel of this context do that?"""
        device = self._context.device
        if not allocation.mapped_for(device):
            return False
        if allocation.views and UNIFIED in allocation.views:    # the device has it elsewhere
            return False
        if allocation.kind is AllocationKind.REGISTERED and not self._host_lets(allocation.original, access):
            return False
        if allocation.kind is not AllocationKind.DEVICE and allocation.kind not in OWN_KINDS:
            self._own_memory = False
        if allocation.attached not in (None, self._work.stream):    # what a kernel finds there, no document says
            return False
        return (allocation.readable if access == "read" else allocation.writable)(device)

    def _host_lets(self, allocation, access):
        """Are the pages of registered memory still there? Where the device has no view of its own of them, a program may have closed
        them, which a GPU does not see; and a file may have become shorter."""
        key = allocation, access == "read"
        if key not in self._looked_at:
            self._looked_at[key] = allows(allocation.start + allocation.delta, allocation.size, "r" if access == "read" else "w")
        return self._looked_at[key]

    def range_of(self, address, access):
        """(start, end, delta) of the range that holds `address` and allows the access; MemoryFault where none does.

        The caller keeps the answer. So what it may write without asking again is what this machine surely has
        memory for: all of a small allocation, and of a large one a granule, until all its granules are in use. Of managed
        memory it gets one page, so that the others are seen when they are used.
        """
        allocation = self.allocation_at(address)
        if allocation is None or not self._usable(allocation, access):
            raise ptx.MemoryFault(0, address, _NOTHING + _VERBS[access])
        start, end, delta = allocation.start, allocation.end, allocation.delta
        if allocation.kind in MANAGED_KINDS:
            self._touches.note(np.array([address], np.uint64), access)
            return max(start, address // PAGE * PAGE), min(end, (address // PAGE + 1) * PAGE), delta
        if access != "read" and start + delta in memory.backing:
            if end - start > SMALL and memory.backing.untouched(start + delta, end - start):
                granule = address + delta - (address + delta - memory.backing.start) % GRANULARITY - delta
                start, end = max(start, granule), min(end, granule + GRANULARITY)
            memory.backing.touch(start + delta, end - start)
        return start, end, delta

    def locate(self, addresses, size, access):
        """Where the bytes at `addresses` are in this process; MemoryFault names the first that may not be used."""
        lowest, highest = int(addresses.min()), int(addresses.max())
        allocation = self.allocation_at(lowest)
        if allocation is not None and highest + size <= allocation.end and self._usable(allocation, access):
            located = addresses + np.uint64(allocation.delta & _WRAP)    # the usual case: one allocation
            managed = allocation.kind in MANAGED_KINDS
        else:
            located = self._locate_each(addresses, size, access)
            managed = self._managed
        if managed:
            self._touches.note(addresses, access)
        if access != "read":
            self._touch(located, size)
        return located

    def _locate_each(self, addresses, size, access):
        starts, ends, deltas, allowed = self._table()
        position = np.searchsorted(starts, addresses, side="right") - 1
        # Compare with the end less the size, not address plus size: addresses may lie at the very top.
        fits = (position >= 0) & (addresses <= ends[position] - np.uint64(size)) & allowed[access][position]
        located = addresses + deltas[position]
        # Memory that is leaving, or that another thread of the process has allocated since the table was made.
        for position in np.flatnonzero(~fits) if memory.leaving or self.version != self._table_version else ():
            address = int(addresses[position])
            allocation = self.allocation_at(address)
            if allocation is not None and address + size <= allocation.end and self._usable(allocation, access):
                located[position], fits[position] = (address + allocation.delta) & _WRAP, True
        if not fits.all():
            astray = np.flatnonzero(~fits)
            blocks = [self._piece(int(address), size, access) for address in addresses[astray]]
            if self._host_pages:
                unknown = np.array([block is None for block in blocks])
                located[astray[unknown]] = self._host_pages.locate(addresses, astray[unknown], access, self.examined)
                astray, blocks = astray[~unknown], [block for block in blocks if block is not None]
                if not len(astray):
                    return located
            lost = astray[[block is None for block in blocks]]
            first = int((lost if len(lost) else astray)[0])
            if len(lost) or not self._by_page:
                where, why = (first, int(addresses[first])), _NOTHING + _VERBS[access]
                raise ptx.MemoryFault(*where, why) if len(lost) else ptx.Stray(*where, why, len(astray))
            located[astray] = addresses[astray] + np.array([block.delta & _WRAP for block in blocks], np.uint64)
        return located

    def _piece(self, address, size, access):
        """The piece of memory that these bytes lie in, allocated or not, where the device has it in its page tables.

        Those are of whole pieces: a kernel that misses its allocation by a little is not noticed (an H200 does so).
        """
        if (allocation := memory.at(address) or heap.blocks.at(address)) is not None:
            # A word that begins in an allocation and ends behind it. Words are aligned, so it is in one page, which the device has.
            return allocation if self._usable(allocation, access) else None
        for beside in memory.allocations.neighbours(address):    # the device has whole pages of registered memory
            if (beside and beside.kind is AllocationKind.REGISTERED and self._usable(beside, access)
                    and beside.start // PAGE <= address // PAGE <= (beside.end - 1) // PAGE):
                return beside
        neighbour, device = memory.neighbour_at(address), self._context.device
        if neighbour is None and (past := freed_at(address)) is not None and isinstance(past.block, PoolBlock):
            neighbour = past        # a pool keeps its pieces after the last free, until the host waits
        block = neighbour and neighbour.block
        if block is None or not block.holds(address + size - 1):
            return None
        return block if neighbour.mapped_for(device) and neighbour.readable(device) else None

    def stray(self, launch, fault, count):
        """`count` threads reach for what belongs to nobody: they will get it, and the learner is told."""
        self.strays.add(launch, fault, count)

    @contextlib.contextmanager
    def by_page(self):
        """Meanwhile `locate` finds what a device's page tables would."""
        self._by_page = True
        try:
            yield
        finally:
            self._by_page = False

    def _table(self):
        """All ranges as sorted arrays, made anew when an allocation came or went."""
        if self._table_version != self.version:
            self._table_version = self.version
            ranges = sorted([*memory.allocations, *heap.blocks], key=lambda piece: piece.start)
            ranges = [piece for piece in ranges if piece.size >= 1] or [_Nothing]
            self._managed = any(piece is not _Nothing and piece.kind in MANAGED_KINDS for piece in ranges)
            self._arrays = (np.array([piece.start for piece in ranges], np.uint64),
                            np.array([piece.end for piece in ranges], np.uint64),
                            np.array([piece.delta & _WRAP for piece in ranges], np.uint64),
                            {access: np.array([piece is not _Nothing and self._usable(piece, access) for piece in ranges])
                             for access in ("read", "write", "atomic")})
        return self._arrays

    def _touch(self, located, size):
        """Bytes are about to be written: make sure that this machine has the memory."""
        backing = memory.backing
        lowest, highest = int(located.min()), int(located.max())
        if lowest in backing and highest in backing and not backing.untouched(lowest, highest + size - lowest):
            return
        inside = located[(located >= backing.start) & (located < backing.end)]
        backing.touch_chunks(np.unique((inside - np.uint64(backing.start)) // np.uint64(GRANULARITY)).tolist())

    # -- heap, output, time ----------------------------------------------------------------------------------------

    def malloc(self, sizes):
        """malloc for several threads, in their order."""
        own = self._context.heap
        own.open(self._context.limits[HEAP_LIMIT])
        return np.array([own.malloc(int(size)) for size in sizes], np.uint64)

    def free(self, addresses):
        """free for several threads, in their order."""
        for position, address in enumerate(addresses):
            if not heap.free(int(address)):
                raise ptx.MemoryFault(position, int(address), "free of what malloc did not return")

    def print(self, texts, to="stdout"):
        """What printf wrote, for each thread, or to stderr, as on an H200, what a failed assertion did; shown when the host waits."""
        if to == "stdout":
            self._context.printed.add(texts)
        else:
            self._context.messages.extend((to, text) for text in texts)

    def poll(self, where=None, stuck=None):
        """Raise Stopped where the kernel is to end before its time. Between two instructions, so memory may be moved here.

        where: a function that returns where a thread of the kernel is, as a KernelFault; None before it runs
        stuck: do its blocks wait for others that cannot begin? Then it ends as soon as it is sure that nobody else will help them.
               None: not known
        """
        use.step_aside()
        interrupts.let_handlers_run(self._work.cancel)      # for a thread of the program that waits, and runs the kernel (watch.py, Hold)
        if self._queued is None:        # most kernels end before they poll, and are spared the question
            self._queued = seconds_without_a_core("self", threading.get_native_id())
        if self._work.cancelled:
            raise Stopped(f"kernel {self._name} was interrupted.")
        if stuck and self._nobody_else_helps():
            self._stuck_since = self._stuck_since or time.monotonic()
            if time.monotonic() > self._stuck_since + STUCK_SECONDS:
                place = where()
                raise Stopped(f"kernel {self._name} was ended, because all blocks that the device holds at once wait, and others cannot "
                              f"begin before these end. Its {endings.at(place, when='then')}.", place)
        elif stuck is not None:
            self._stuck_since = None
        if time.monotonic() > self._deadline and not self._was_kept_waiting():
            place = where and where()
            raise Stopped(f"kernel {self._name} was ended after {self._seconds:g} seconds: it seems never to end."
                          f"{f' Its {endings.at(place)}.' if place else ''}", place,
                          f" If it needs longer, set the environment variable {WATCHDOG}")

    def _nobody_else_helps(self):
        """Can nobody but this kernel change what it waits for? It uses memory that only streams of this process change, and these have
        nothing else to do."""
        return (self._own_memory and self._work.is_all_there_is
                and not any(memory.backing.file_at(allocation.start + allocation.delta)
                            for allocation in memory.allocations if allocation.kind in OWN_KINDS))

    def _was_kept_waiting(self):
        """Whether other programs had the processor's cores meanwhile; then the kernel gets that time once more."""
        queued, self._queued = self._queued, seconds_without_a_core("self", threading.get_native_id())
        self._deadline += self._queued - queued
        return time.monotonic() <= self._deadline

    def clock(self):
        """Nanoseconds of this machine's, for %clock64: the counter rises, and says nothing about a GPU's time."""
        return time.perf_counter_ns()


class MachineOfOwnNumbers(KernelMachine):
    """The same for a context whose numbers are its own: what the kernel sees is its context's numbers, and the rest is not.

    What an H200 overlooks is a fault here, because no document says that it is overlooked.
    """

    def __init__(self, work, context, function):
        super().__init__(work, context, function)
        self._space = context.space
        self.symbols = {name: self._space.number(address) for name, address in self.symbols.items()}

    def range_of(self, address, access):
        start, end, delta = super().range_of(self._space.inside(address), access)
        return self._space.number(start), self._space.number(end), delta + self._space.shift

    def locate(self, addresses, size, access):
        try:
            return super().locate(self._space.all_inside(addresses), size, access)
        except ptx.MemoryFault as fault:
            raise ptx.MemoryFault(fault.position, int(addresses[fault.position]), _NOTHING + _VERBS[access]) from None

    def malloc(self, sizes):
        return np.array([self._space.number(int(address)) for address in super().malloc(sizes)], np.uint64)

    def free(self, addresses):
        super().free(np.array([self._space.inside(int(address)) for address in addresses], np.uint64))


class _Nothing:
    """Stands in the table of a process that has no memory at all."""
    start = end = delta = size = 0
