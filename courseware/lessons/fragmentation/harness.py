"""Segments are tried here, in the sandbox: where each block begins is compared with where the statement's rules put it, and no
address leaves.
"""
from course_lib import reservation
from course_lib.core.ownership import current_context

import numpy as np

from ...exercises.values import Remark

UNIT = 512          # blocks are multiples of so many bytes


class _Vector:
    """What the statement says of a vector, over the course's growing buffer."""

    def __init__(self, buffer):
        self._buffer, self.address, self.reserved = buffer, buffer.device_address, buffer.most

    @property
    def nbytes(self):
        return self._buffer.nbytes

    def grow_to(self, nbytes):
        if nbytes > self.nbytes:
            self._buffer.grow(reservation.round_up(nbytes - self.nbytes))


class _Pieces:
    """Which pieces of a vector are in use, by the statement's rules: what each request should get, and why there."""

    def __init__(self):
        self.unused, self.used, self.end = {}, {}, 0    # offset -> bytes; name -> (offset, bytes)

    def allocate(self, name, nbytes):
        """(offset, why there) of a block for a request."""
        nbytes = -(-nbytes // UNIT) * UNIT
        fitting = [(size, offset) for offset, size in self.unused.items() if size >= nbytes]
        if fitting:
            size, offset = min(fitting)
            why = "there the smallest unused piece begins that is large enough"
            if [other for other, _ in fitting].count(size) > 1:
                why += ", the first of several"
        else:
            offset = next((offset for offset, size in self.unused.items() if offset + size == self.end), self.end)
            why = "there the vector ended" if offset == self.end else "there the unused piece at its end begins"
            self.end = reservation.round_up(offset + nbytes)
            size = self.end - offset
        self.unused.pop(offset, None)
        if size > nbytes:
            self.unused[offset + nbytes] = size - nbytes
        self.used[name] = offset, nbytes
        return offset, why

    def free(self, name):
        begin, nbytes = self.used.pop(name)
        for offset, size in list(self.unused.items()):
            if offset + size == begin or offset == begin + nbytes:
                begin, nbytes = min(begin, offset), nbytes + self.unused.pop(offset)
        self.unused[begin] = nbytes


def split(answer, script, most):
    """Carry out a script of ("a", granules, bytes) and ("free", "a") on a vector of `most` granules.

    Returns (where each block begins, in pieces of 512 bytes), and how many granules are mapped at the end; or what is
    wrong first.
    """
    current_context()
    unit, blocks, nbytes_of, places, pieces = reservation.granularity(), {}, {}, [], _Pieces()
    with reservation.GrowingBuffer(most * unit) as buffer:
        vector = _Vector(buffer)
        segment = answer(vector)
        if vector.nbytes:
            return Remark("memory is mapped before a block was asked for")
        for step in script:
            if step[0] == "free":
                segment.free(blocks[step[1]])
                pieces.free(step[1])
                continue
            name, granules, nbytes = step
            address = segment.allocate(granules * unit + nbytes)
            if not isinstance(address, (int, np.integer)):
                return Remark(f"`allocate` returned an object of type {type(address).__name__}, and not an address")
            offset = int(address) - vector.address
            if 0 <= int(address) < vector.nbytes:
                return Remark("`allocate` returned how far a block is from `vector.address`, and the address is asked for")
            if offset < 0 or offset + granules * unit + nbytes > vector.nbytes:
                return Remark("a block lies outside of what is mapped of the vector")
            for in_use, (begin, _) in pieces.used.items():
                if begin < offset + granules * unit + nbytes and offset < begin + nbytes_of[in_use]:
                    return Remark(f"`{name}` lies over `{in_use}`, which is in use")
            right, why = pieces.allocate(name, granules * unit + nbytes)
            if offset != right:
                return Remark(f"`{name}` begins {offset} bytes after the start, and should begin {right} bytes after it: {why}")
            if vector.nbytes != pieces.end:
                return Remark(f"the vector has {vector.nbytes // unit} granules for `{name}`, where {pieces.end // unit} are enough")
            blocks[name], nbytes_of[name] = int(address), granules * unit + nbytes
            places.append(offset // UNIT)
        return tuple(places), vector.nbytes // unit
