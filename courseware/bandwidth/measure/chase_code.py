"""Chains of addresses, laid and followed: the kernels of chase_source.py, compiled and called.

Not here: which memory (ladder.py, translation.py, working_set.py).
"""
import dataclasses
import math

from course_lib import kernels, pinned
from course_lib.core.errors import do

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from .buffers import buffer
from .chase_source import SOURCE
from .patterns import WrongData

LINE = 128                  # bytes of a line of the L1 and L2 caches, of which the chain uses the first 8
CONSTANT_LINE = 64          # bytes from one word of the chain in constant memory to the next
SHARED, CONSTANT = 48 << 10, 64 << 10       # bytes that a kernel may have without asking for more
WARMING = 1024              # threads that read all of a chain before one follows it
THREADS, AT_ONCE = 1024, 8  # of a block, of which each multiprocessor has one; reads that a thread has under way
PATHS = {"read through L1": "ca", "read past L1": "cg"}
ODD, ADDED, ROUNDS = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03, 4      # numbers of no meaning; the first is odd
MOST_L1 = 0                 # percent of an L1 cache that are to be shared memory


@dataclasses.dataclass(frozen=True)
class Chain:
    """`n` lines in memory from `base` on, `apart` bytes from one to the next."""

    base: int
    n: int
    apart: int
    bits: int       # physical memory has 2 to the power of `bits` lines, and is then met again at other addresses

    def address(self, step):
        """The address of the line that comes at a step; as `line` in the kernels."""
        i = shuffled(step % self.n, self.n)
        again, within = i >> self.bits, i % (1 << self.bits)
        return self.base + i * self.apart + (again + 37 * within) * LINE % self.apart


class ChaseCode:
    """The kernels, compiled for the current context's device. Use it in ``with``."""

    def __init__(self, stream):
        """stream: the pycuda Stream that everything is put on. Each method but `read_again` waits until it is done."""
        self._stream = stream
        sizes = {"LINE": LINE, "SHARED": SHARED, "CONSTANT": CONSTANT, "AT_ONCE": AT_ONCE,
                 "THREADS": THREADS, "ODD": f"{ODD}ull", "ADDED": f"{ADDED}ull", "ROUNDS": ROUNDS}
        self._code = kernels.compile(SOURCE, [f"-D{name}={value}" for name, value in sizes.items()])
        self._report = pinned.allocate(6, np.uint64)
        carveout = cu.CUfunction_attribute.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
        for kernel in (self._code.chase_ca, self._code.read_again_ca):
            do(cu.cuFuncSetAttribute, kernel.handle, carveout, MOST_L1)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._report.release()
        self._code.release()

    def lay(self, base, nbytes, apart=LINE, bits=63):
        """Lay a chain in memory that kernels reach, one line in every `apart` bytes; returns the Chain.

        The same size always has the same order: what differs between two measurements is not the chain.
        """
        chain = Chain(base, nbytes // apart, apart, bits)
        blocks, bits_of_n = max(1, min(chain.n // THREADS, 1024)), max(chain.n - 1, 1).bit_length()
        self._code.lay(blocks, THREADS, base, chain.n, apart, bits, bits_of_n, stream=self._stream)
        self._stream.synchronize()
        return chain

    def follow(self, chain, path, begin, steps):
        """(nanoseconds of a read, GHz) of `steps` reads of a chain, from its step `begin` on, after as many that do not
        count."""
        before = min(chain.n, steps)
        kernel = getattr(self._code, f"chase_{PATHS[path]}")
        kernel(1, WARMING, chain.base, chain.n, chain.apart, chain.bits, chain.address(begin), before, steps,
               self._report, stream=self._stream)
        return self._read_report(chain.address(begin + before + steps), steps)

    def follow_shared(self, nbytes, steps):
        """The same of a chain in shared memory."""
        order, following = _ring(nbytes // LINE, LINE)
        with buffer("device", following.nbytes) as memory:
            _upload(memory.address, following)
            self._code.chase_shared(1, WARMING, memory.address, order.size, int(order[0]) * LINE, order.size, steps,
                                    self._report, stream=self._stream)
            return self._read_report(int(order[steps % order.size]) * LINE, steps)

    def follow_constant(self, nbytes, steps):
        """The same of a chain in constant memory."""
        order, following = _ring(nbytes // CONSTANT_LINE, CONSTANT_LINE)
        table = np.zeros((order.size, CONSTANT_LINE // 4), np.uint32)
        table[:, 0] = following
        _upload(self._code.variable("table")[0], table)
        self._code.chase_constant(1, 1, int(order[0]) * CONSTANT_LINE, order.size, steps, self._report,
                                  stream=self._stream)
        return self._read_report(int(order[steps % order.size]) * CONSTANT_LINE, steps)

    def read_again(self, base, nbytes, path, blocks, most, total, report=False):
        """Put a kernel on the stream whose blocks each read all of `nbytes` bytes, as `times` says.

        nbytes: a multiple of 16
        total:  the address of a word of 4 bytes on the device, to which the words that were read are added
        report: have `clock_rate` tell the first block's; it waits for the clock, so the kernel is not to be timed
        """
        kernel = getattr(self._code, f"read_again_{PATHS[path]}")
        reads = times(nbytes, most) * (nbytes // 16) // THREADS
        kernel(blocks, THREADS, base, nbytes // 16, reads, total, self._report if report else None, stream=self._stream)

    def clock_rate(self):
        """GHz between the two looks at the clocks that the last kernel took."""
        self._stream.synchronize()
        cycles, nanoseconds = self._report.array[4:6] - self._report.array[2:4]
        return float(cycles) / float(nanoseconds)

    def _read_report(self, end, steps):
        gigahertz = self.clock_rate()
        came_to, cycles = map(int, self._report.array[:2])
        if came_to != end:
            raise WrongData("the chain of addresses led elsewhere than it was laid")
        return cycles / steps / gigahertz, gigahertz


def times(nbytes, most):
    """How often a block reads all of `nbytes`, so that it reads about `most` bytes and each thread as many as the
    others."""
    fours = nbytes // 16
    whole = THREADS * AT_ONCE // math.gcd(fours, THREADS * AT_ONCE)     # of these, each thread reads AT_ONCE at a time
    return whole * max(1, round(most / (nbytes * whole)))


def shuffled(i, n):
    """The i-th of the numbers from 0 to n - 1, in an order without a pattern, always the same; as `shuffled` in the
    kernels."""
    bits = max(n - 1, 1).bit_length()
    while True:
        for _ in range(ROUNDS):
            i = (i * ODD + ADDED) % (1 << bits)
            i ^= i >> (bits + 1) // 2
        if i < n:
            return i


def _upload(address, array):
    """Copy to the device, and wait: a copy from pageable memory may return before it is there, and the stream does not
    wait for the default stream, on which it is made. (CUDA Driver API, "API synchronization behavior")"""
    cuda.memcpy_htod(address, array)
    cuda.Context.synchronize()


def _ring(n, apart):
    """(the order of n lines, for each line the offset of the next)"""
    order = np.array([shuffled(i, n) for i in range(n)], np.uint32)
    following = np.empty(n, np.uint32)
    following[order] = np.roll(order, -1) * np.uint32(apart)
    return order, following
