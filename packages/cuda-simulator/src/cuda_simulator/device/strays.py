"""Kernels that reach beside an allocation, or into one that was freed: a GPU notices nothing, and here it is said.

What a device may reach goes by pieces of 2 MiB and more, and many allocations share one. So a kernel that runs a little past
the end, or follows an address that was freed, gets what lies there. The simulated device does the same, and tells.

So does a word that begins in an allocation and ends behind it.

Not here: what is no memory at all, which ends the kernel (faults.py).
"""
from ..examination.findings import Finding, at_line, does, place_of, who
from ..examination.names import LaunchNames, element_of, kernel_name
from ..examination.sources import parameter_names
from ..memory.allocations import memory
from ..memory.heap import blocks
from .faults import behind, freed_at, nearest

FREED, OUTSIDE = "freed", "out-of-bounds"
REMEDIES = {FREED: "A GPU does not stop it either, and may have given the memory to somebody else: free it after the last kernel "
                   "that uses it.",
            OUTSIDE: "A GPU does not stop it either, and what lies there may belong to somebody else: check the index first, as in "
                     "if (i < n)."}


class Strays:
    """What one launch did outside of what is allocated: one finding for each line and kind."""

    def __init__(self, function):
        self._function, self._findings = function, {}

    def add(self, launch, fault, count):
        """A KernelFault that hardware would not notice, and how many threads made it."""
        past, line = _freed_allocation(launch, fault.address), place_of(fault)
        kind = FREED if past else OUTSIDE
        if (kind, line) not in self._findings:
            self._findings[kind, line] = self._finding(kind, line, launch, fault, past)
        self._findings[kind, line].count += count

    def findings(self):
        """A Finding for each kind of stray access at each line."""
        return list(self._findings.values())

    def _finding(self, kind, line, launch, fault, past):
        names = LaunchNames(launch, lambda address: _around(address, past), parameter_names(self._function))
        start, _ = _around(fault.address, past)
        variable, element = names.of(max(fault.address, start), fault.size, "global")
        if fault.address < start:
            element = element_of(variable, fault.address - start, fault.size)
        thread = who(fault.thread, fault.block, launch.blocks > 1)
        where = behind(fault.address, fault.size, self._function.context.device) or nearest(
            fault.address, self._function.context.device, kind == FREED)
        message = f"{thread} {does(fault)} {element}{at_line(line)}: {where}"
        return Finding(kind, kernel_name(fault.kernel), message, REMEDIES[kind], (line,), ((fault.block, fault.thread),), variable,
                       element, "global")


def _freed_allocation(launch, address):
    """The freed allocation that a kernel followed an old pointer to; None where it was given none, and ran out of what lives."""
    past = freed_at(address)
    if past is None:
        return None
    parameters = [value for value, _ in LaunchNames(launch, None).parameters]
    # A pointer into what lives is no old one, even where a larger allocation was there before.
    stale = any(past.start <= value < past.end and memory.at(value) is None for value in parameters)
    beside = [allocation for allocation in memory.allocations.neighbours(address)
              if allocation and any(allocation.start <= value < allocation.end for value in parameters)]
    return past if stale or not beside else None


def _around(address, past):
    """(start, end) of what the address was meant to be of: the freed allocation, the one it is in, or the nearest one below, or above."""
    inside = past or memory.at(address) or blocks.at(address)
    if inside is not None:
        return inside.start, inside.end
    below, above = memory.allocations.neighbours(address)
    if below is None or above is not None and above.start - address < address - below.end:
        return above.start, above.end
    return below.start, max(below.end, address + 1)
