"""Which numbers a context's device addresses are: those that all contexts share, or, without unified addressing, its own.

Inside the simulator every byte of device memory has one address, in the device window. A context with an address space of its own has
a stretch of that window, and its numbers count from elsewhere: `inside` leads from a number of the context to the address in
the window, and `number` back.

Not here: the host's numbers, which are the process's addresses everywhere.
"""
import os

import numpy as np

from ..systems import current_system
from .windows import GRANULARITY, take_addresses, window

BEGIN = "CUDA_SIMULATOR_CONTEXTS_BEGIN"     # environment variable: where contexts begin to count, such as 0x100000,0x900000
NOWHERE = 8             # an address that nothing has, for numbers that the context does not give out
_PAGE, _MOST = 4096, 1 << 40
_begin = None           # as contexts_begin was told
_contexts = 0           # made since then


class Unified:
    """The address space that all contexts and the host share."""
    own = False
    gaps = window.gaps

    @staticmethod
    def inside(number):
        """The address behind a number of the context's: the same."""
        return number

    number = inside

    def close(self):
        """It never ends."""


UNIFIED = Unified()


class OwnAddresses:
    """The address space of one context, from `first` on."""
    own = True

    def __init__(self, first):
        self.size = min(window.size // 128, 256 << 30)
        self._start = take_addresses(self.size, GRANULARITY)
        self.gaps = type(window.gaps)(self._start, self._start + self.size)
        self.first, self.shift = first, self._start - first

    def inside(self, number):
        """The address in the device window; NOWHERE for a number that the context never gives out, 0 for 0."""
        if not number:
            return 0
        return number + self.shift if self.first <= number < self.first + self.size else NOWHERE

    def all_inside(self, numbers):
        """The same for an array."""
        distance = numbers - np.uint64(self.first)      # what is below wraps round
        return np.where(distance < np.uint64(self.size), distance + np.uint64(self._start), np.uint64(NOWHERE))

    def number(self, address):
        """The context's number for an address in the device window; 0 for 0."""
        return address - self.shift if address else 0

    def close(self):
        """The context ends, and its numbers mean nothing any more."""
        window.gaps.give(self._start, self.size)


def contexts_begin(*firsts):
    """Where the contexts that are made from now on begin to count: one after the other, and all further ones at the last number.

    firsts: multiples of 4096, from 4096 on, below 2**40 less 256 GiB. Equal ones are allowed: the documents do not say whether two
    contexts use the same numbers. Raises ValueError for others, and on a system with unified addressing.
    """
    global _begin, _contexts
    if current_system().unified_addressing:
        raise ValueError(f"The system {current_system().name} has unified addressing: contexts have no addresses of their own")
    if not firsts or any(first % _PAGE or not _PAGE <= first <= _MOST - (256 << 30) for first in firsts):
        raise ValueError(f"Contexts cannot begin at {', '.join(map(hex, firsts)) or 'nothing'} ({BEGIN}, contexts_begin): they begin at "
                         f"multiples of {_PAGE}, from {_PAGE} to {_MOST - (256 << 30):#x}")
    _begin, _contexts = firsts, 0


def begin_as_told():
    """The same by the environment variable, unless the program has said it; ValueError for what it cannot be."""
    if _begin is None:
        # Without a word 8 GiB, where Linux puts neither a program that cannot be moved nor what it allocates: no number of the
        # device's is one of the host's by chance.
        contexts_begin(*(int(first, 0) for first in os.environ.get(BEGIN, "0x200000000").split(",")))


def of_new_context():
    """The address space of a context that is being made."""
    global _contexts
    if current_system().unified_addressing:
        return UNIFIED
    _contexts += 1
    return OwnAddresses(_begin[min(_contexts, len(_begin)) - 1])
