"""Answers to an exercise of this lesson are tried here, in the sandbox, with memory made for them. No address leaves it."""
import itertools
from collections.abc import Iterator

from course_lib import pinned
from course_lib.core.ownership import current_context

import numpy as np
from cuda.bindings import driver as cu

from ...exercises.values import Remark
from ...exercises.watching import watched

FAR, MOST = 1 << 20, 10_000


class TooMany(BaseException):
    """Ends an answer that asks about every byte for miles around."""


def edges(answer, nbytes, offset, beside=(700, 300)):
    """Ask for the edges of pinned memory of `nbytes` with neighbours; returns where they are, from its start."""
    current_context()
    before, memory, behind = (pinned.allocate(size) for size in (beside[0], nbytes, beside[1]))
    with before, memory, behind:
        with watched(answer, cu, "cuMemHostGetDevicePointer", before=_counter()):
            try:
                got = answer(memory.host_address + offset)
            except TooMany:
                return Remark(f"more than {MOST} questions, although a few thousand are enough, so stop at the first byte that is refused")
        start = memory.host_address
        if isinstance(got, Iterator):
            return (_place(address, start) for address in itertools.islice(got, 10))    # read once only, and told so
        if not isinstance(got, (tuple, list, np.ndarray)):
            near_zero = isinstance(got, (int, np.integer)) and abs(int(got)) < FAR
            return Remark("one distance or length, and no addresses") if near_zero else _place(got, start)
        if len(got) and all(isinstance(number, (int, np.integer)) and abs(int(number)) < FAR for number in got[:10]):
            return Remark("distances or lengths, and no addresses")
        places = tuple(_place(address, start) for address in got[:10])
        distances = [(neighbour.host_address - start, neighbour.nbytes) for neighbour in (before, behind)]
        others = [range(distance, distance + nbytes) for distance, nbytes in distances]
        if any(place in neighbour for place in places for neighbour in others):
            return Remark("a place in other memory, beyond the gap")
        return places


def _counter():
    questions = itertools.count()

    def ask():
        if next(questions) > MOST:
            raise TooMany
    return ask


def _place(address, start):
    if not isinstance(address, (int, np.integer)):
        return address
    return int(address) - start if abs(int(address) - start) < FAR else "far from there"
