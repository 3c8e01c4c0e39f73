"""Watching the two memories that serve a warp by addresses: the banks of shared memory, and the cache of constant memory.

Counts of addresses, and no times. Not here: global memory and its sectors (observe.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from .observe import Observer
from .program import SINK, Immediate
from .spaces import within

# Banks of shared memory, and the bytes of a bank's word (CUDA C++ Best Practices Guide, "Shared Memory and Memory Banks").
BANKS, WORD = 32, 4


# Atomics that shared memory of an H200 does by itself, by operation and type: how many requests each lane of a bank takes.
# Sums of floats and of 64 bits are loops of compare-and-swap there, which end when they end: nothing to count.
ATOMICS = {(operation, kind): 1 for operation in ("add", "min", "max") for kind in ("u32", "s32")}
ATOMICS |= {(operation, "u32"): 1 for operation in ("inc", "dec")}
ATOMICS |= {(operation, kind): 1 for operation in ("and", "or", "xor", "exch") for kind in ("b32", "u32", "s32")}
ATOMICS |= {("exch", "b64"): 1, ("cas", "b32"): 2, ("cas", "b64"): 2}


@dataclass
class SharedAccess:
    """What one load, store or atomic did to shared memory, summed over all warps that executed it."""
    instruction: object
    access: str
    warps: int = 0
    requests: int = 0           # conflict-free requests that those of the warps were split into
    fewest: int = 0             # as many there would be without conflicts


class BankConflicts(Observer):
    """Counts conflict-free requests for each access to shared memory: `counts` maps a PTX line to its SharedAccess.

    Atomics that are no instruction of shared memory (ATOMICS) are left out.
    """

    def __init__(self):
        self.counts: dict[int, SharedAccess] = {}
        self._costs = {}        # line of an atomic -> as of _atomic

    def access(self, group, instruction, space, addresses, size, access):
        cost = 0
        if access == "atomic":
            if instruction.line not in self._costs:
                self._costs[instruction.line] = _atomic(instruction, group.frame.code.function.body)
            cost = self._costs[instruction.line]
        if cost is None:
            return
        warp, place, addresses = _lanes(group, addresses)
        inside = within("shared", addresses.view(np.uint64)) if space == "generic" else np.full(group.count, space == "shared")
        if not inside.any():
            return
        entry = self.counts.setdefault(instruction.line, SharedAccess(instruction, access))
        for number in np.unique(warp[inside]):
            of_warp = inside & (warp == number)
            took, fewest = (atomic_requests(place[of_warp], addresses[of_warp], size, cost) if cost else
                            requests(place[of_warp], addresses[of_warp], size, access))
            entry.warps, entry.requests, entry.fewest = entry.warps + 1, entry.requests + took, entry.fewest + fewest


def requests(places, addresses, size: int, access: str) -> tuple[int, int]:
    """(conflict-free requests that a warp's access is split into, how many there would be without conflicts).

    places: of the threads in the warp, 0 to 31; addresses: theirs; size: bytes for each.

    A request is served at once where no bank is asked for two words; threads that want bytes of one word share it. Wider accesses
    are made in parts: of 8 bytes for half a warp, of 16 bytes for a quarter. Two parts of a read are one where each thread wants what
    its neighbour (places that differ by 1, or by 2) wants. That, and the parts, were measured on an H200: tests/ptx/test_banks.py.
    """
    words = max(size // WORD, 1)
    part = 32 // words
    if words > 1 and access == "read" and len(places) == 32 and any((addresses == addresses[places ^ step]).all() for step in (1, 2)):
        part *= 2
    took = fewest = 0
    for start in range(0, 32, part):
        own = addresses[(places >= start) & (places < start + part)] // WORD
        distinct_words = np.unique(np.concatenate([own + number for number in range(words)]))
        if len(distinct_words):
            took, fewest = took + int(np.bincount(distinct_words % BANKS).max()), fewest + 1
    return took, fewest


def atomic_requests(places, addresses, size: int, cost: int) -> tuple[int, int]:
    """(requests that a warp's atomic is split into, how many there would be without conflicts); the arguments as of `requests`.

    cost: as of ATOMICS. Of an atomic, threads share nothing: those that want one word wait for each other like those that want
    two words of one bank. One of 8 bytes is made for half a warp at a time. Measured on an H200: tests/ptx/test_banks.py.
    """
    took = fewest = 0
    part = 32 * WORD // size
    for start in range(0, 32, part):
        banks = addresses[(places >= start) & (places < start + part)] // WORD % BANKS
        if len(banks):
            took, fewest = took + cost * int(np.bincount(banks).max()), fewest + cost
    return took, fewest


def _atomic(instruction, body):
    """As of ATOMICS, for an instruction of a function's body; None for one that is none of these.

    0 for one that counts: 1 more, and nobody looks at what was there. Threads that count at one word share a request, as if they
    read it.
    """
    words, result, operand = instruction.opcode.split("."), instruction.operands[0], instruction.operands[-1]
    if "add" in words and words[-1] in ("u32", "s32") and isinstance(operand, Immediate) and operand.value == 1:
        texts = (item.text for item in body if not isinstance(item, str) and item is not instruction)
        if words[0] == "red" or result == SINK or not any(re.search(rf"{re.escape(result.name)}\b", text) for text in texts):
            return 0
    return next((ATOMICS[operation, words[-1]] for operation in words if (operation, words[-1]) in ATOMICS), None)


@dataclass
class ConstantAccess:
    """What one load read of constant memory, summed over all warps that executed it."""
    instruction: object
    warps: int = 0
    addresses: int = 0          # different ones in a warp, summed over the warps


class ConstantReads(Observer):
    """Counts the different addresses of each warp for each load of constant memory by name: `counts` maps a PTX line to it.

    They are served one after another (CUDA C++ Best Practices Guide, "Constant Memory"). A load through a generic pointer does
    not pass the constant cache, and is not counted.
    """

    def __init__(self):
        self.counts: dict[int, ConstantAccess] = {}

    def access(self, group, instruction, space, addresses, size, access):
        if space != "const":
            return
        warp, _, addresses = _lanes(group, addresses)
        entry = self.counts.setdefault(instruction.line, ConstantAccess(instruction))
        entry.warps += len(np.unique(warp))
        entry.addresses += np.unique(np.stack((warp, addresses)), axis=1).shape[1]


def _lanes(group, addresses):
    """For each lane: the number of its warp's first lane in the wave, its place in the warp, and its address."""
    place = group.wave.launch.thread_numbers(group.wave.lanes)[group.lanes] % 32
    return group.lanes - place, place, group.spread(addresses, np.uint64).astype(np.int64)
