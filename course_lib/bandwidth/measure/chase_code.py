"""The kernels that find out how far away memory is: one thread that waits for each read, and all that read at once.

A *chain* is laid in memory first: each line holds the address of the next, in random order. Following it, no read can begin
before the last one has brought its address. The loads are written as PTX, for their cache operators (PTX ISA, "Cache
Operators"): .ca reads through the L1 cache, .cg past it, from L2. Such volatile assembly the compiler leaves where it is.

A kernel reads two clocks: %clock64 counts the multiprocessor's cycles, %globaltimer nanoseconds. The second moves on in steps,
so both are read just after a step. Not here: which memory (ladder.py, translation.py, working_set.py).
"""
import dataclasses
import math

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from ... import kernels, pinned
from ...core.errors import ask
from .buffers import buffer
from .patterns import WrongData

LINE = 128                  # bytes of a line of the L1 and L2 caches, of which the chain uses the first 8
CONSTANT_LINE = 64          # bytes from one word of the chain in constant memory to the next
SHARED, CONSTANT = 48 << 10, 64 << 10       # bytes that a kernel may have without asking for more
WARMING = 1024              # threads that read all of a chain before one follows it
THREADS, AT_ONCE = 1024, 8     # of a block, of which each multiprocessor has one; reads that a thread has under way
EACH = 4096                 # reads that are timed one by one
PATHS = {"read through L1": "ca", "read past L1": "cg"}
ODD, ADDED, ROUNDS = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03, 4      # numbers of no meaning; the first is odd
MOST_L1 = 0                 # percent of an L1 cache that are to be shared memory

SOURCE = """
typedef unsigned int word;
typedef unsigned long long place;
#define FIRST (blockIdx.x * (place) blockDim.x + threadIdx.x)
#define ALL (gridDim.x * (place) blockDim.x)

// The i-th line: `apart` bytes from the last, a power of two. Lines that are farther apart than they are long begin at different
// places within these bytes, or they would compete for the same places of a cache. Where 2 to the power of `bits` lines are all
// that physical memory has, and the next lines are the same memory again, they begin at places that were not used yet.
__device__ place line(place base, place i, place apart, int bits) {
    place again = i >> bits, within = i - (again << bits);
    return base + i * apart + ((again + 37 * within) * 128 & (apart - 1));
}

// The i-th of the numbers below n, in an order without a pattern. Each round is one-to-one on the numbers of so many bits; what
// comes to n or beyond goes on until it is below.
__device__ place shuffled(place i, place n, int bits) {
    place last = ((place) 1 << bits) - 1;
    do for (int round = 0; round < ROUNDS; round++) {
        i = i * ODD + ADDED & last;
        i ^= i >> (bits + 1) / 2;
    } while (i >= n);
    return i;
}

// The chain: from the i-th line of the order to the one after it. n is a number of so many bits.
__global__ void lay(unsigned long long base, unsigned long long n, unsigned long long apart, int bits, int bits_of_n) {
    for (place i = FIRST; i < n; i += ALL)
        *(place *) line(base, shuffled(i, n, bits_of_n), apart, bits)
            = line(base, shuffled(i + 1 < n ? i + 1 : 0, n, bits_of_n), apart, bits);
}

__device__ place nanoseconds() {
    place now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

// Both clocks at the moment at which the slower one moves on. It moves within a millisecond; the loop ends in any case.
__device__ void read_clocks(unsigned long long *both) {
    place before = nanoseconds(), after = before;
    for (int i = 0; i < 1000000 && after == before; i++) after = nanoseconds();
    both[0] = clock64();
    both[1] = after;
}

// All threads read every line, so that the caches have as much of it as they can. Then one thread follows the chain, `before`
// steps and then `steps` that are timed. report: where it came to, cycles, both clocks before, both clocks after.
#define CHASE(CACHE) \\
    place seen = 0; \\
    for (place i = threadIdx.x; i < n; i += blockDim.x) { \\
        place read = line(base, i, apart, bits); \\
        asm volatile("ld.global" CACHE ".u64 %0, [%0];" : "+l"(read) :: "memory"); \\
        seen |= read; \\
    } \\
    if (__syncthreads_or(!seen && threadIdx.x < n)) return;     /* never, but the reads are needed */ \\
    if (threadIdx.x) return; \\
    place at = start; \\
    for (int i = 0; i < before; i++) asm volatile("ld.global" CACHE ".u64 %0, [%0];" : "+l"(at) :: "memory"); \\
    read_clocks(report + 2); \\
    place begun = clock64(); \\
    for (int i = 0; i < steps; i++) asm volatile("ld.global" CACHE ".u64 %0, [%0];" : "+l"(at) :: "memory"); \\
    report[0] = at; \\
    report[1] = clock64() - begun; \\
    read_clocks(report + 4);

__global__ void chase_ca(unsigned long long base, unsigned long long n, unsigned long long apart, int bits,
                         unsigned long long start, int before, int steps, unsigned long long *report) { CHASE("") }

__global__ void chase_cg(unsigned long long base, unsigned long long n, unsigned long long apart, int bits,
                         unsigned long long start, int before, int steps, unsigned long long *report) { CHASE(".cg") }

// The same in shared memory: `places` holds the chain, for each line the offset of the next.
__global__ void chase_shared(const unsigned int *places, int n, unsigned int start, int before, int steps,
                             unsigned long long *report) {
    __shared__ word chain[SHARED / 4];
    word base = (word) __cvta_generic_to_shared(chain);
    for (int i = threadIdx.x; i < n; i += blockDim.x) chain[i * (LINE / 4)] = base + places[i];
    __syncthreads();
    if (threadIdx.x) return;
    word at = base + start;
    for (int i = 0; i < before; i++) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at) :: "memory");
    read_clocks(report + 2);
    place begun = clock64();
    for (int i = 0; i < steps; i++) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at) :: "memory");
    report[0] = at - base;
    report[1] = clock64() - begun;
    read_clocks(report + 4);
}

__constant__ word table[CONSTANT / 4];

// For one thread. What depends on its number is read as a thread's own, and not once for all of a warp by another unit.
__global__ void chase_constant(unsigned int start, int before, int steps, unsigned long long *report) {
    word at = start + threadIdx.x;
    for (int i = 0; i < before; i++) at = *(const word *) ((const char *) table + at);
    read_clocks(report + 2);
    place begun = clock64();
    for (int i = 0; i < steps; i++) at = *(const word *) ((const char *) table + at);
    report[0] = at;
    report[1] = clock64() - begun;
    read_clocks(report + 4);
}

// Each read of a chain by itself, from before its load until what it brought is stored. took: cycles of each.
__global__ void time_each(unsigned long long base, unsigned long long n, unsigned long long start, int steps,
                          unsigned int *took, unsigned long long *report) {
    __shared__ place brought;
    __shared__ word cycles[EACH];
    place seen = 0;
    for (place i = threadIdx.x; i < n; i += blockDim.x) {
        place read = line(base, i, LINE, 0);
        asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(read) :: "memory");
        seen |= read;
    }
    if (__syncthreads_or(!seen && threadIdx.x < n)) return;
    if (threadIdx.x == 0) {
        word to = (word) __cvta_generic_to_shared(&brought);
        place at = start;
        read_clocks(report + 2);
        for (int i = 0; i < steps; i++) {
            place begun = clock64();
            asm volatile("ld.global.cg.u64 %0, [%0];\\n\\tst.shared.u64 [%1], %0;" : "+l"(at) : "r"(to) : "memory");
            cycles[i] = clock64() - begun;
        }
        report[0] = at;
        read_clocks(report + 4);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < steps; i += blockDim.x) took[i] = cycles[i];
}

// Every block reads all of the data, 16 bytes a thread, each from another place on, and around until each thread has read
// `times`. sum: of all words that were read. report: both clocks of the first block before and after; null where a wait for the
// slower clock would count.
#define READ_AGAIN(CACHE) \\
    __shared__ word of_block; \\
    bool reports = report && blockIdx.x == 0 && threadIdx.x == 0; \\
    if (threadIdx.x == 0) of_block = 0; \\
    if (reports) read_clocks(report + 2); \\
    __syncthreads(); \\
    word at = (word) (((place) blockIdx.x * fours / gridDim.x + threadIdx.x) % fours), step = blockDim.x % fours, own = 0; \\
    for (word i = 0; i < times; i += AT_ONCE) { \\
        uint4 found[AT_ONCE]; \\
        _Pragma("unroll") \\
        for (int k = 0; k < AT_ONCE; k++) { \\
            asm volatile("ld.global" CACHE ".v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(found[k].x), "=r"(found[k].y), \\
                         "=r"(found[k].z), "=r"(found[k].w) : "l"(base + 16ull * at) : "memory"); \\
            at += step; \\
            if (at >= fours) at -= fours; \\
        } \\
        _Pragma("unroll") \\
        for (int k = 0; k < AT_ONCE; k++) own += found[k].x + found[k].y + found[k].z + found[k].w; \\
    } \\
    atomicAdd(&of_block, own); \\
    __syncthreads(); \\
    if (threadIdx.x == 0) atomicAdd(sum, of_block); \\
    if (reports) read_clocks(report + 4);

__global__ void __launch_bounds__(THREADS, 1) read_again_ca(unsigned long long base, unsigned int fours, unsigned int times,
                                                             unsigned int *sum, unsigned long long *report) { READ_AGAIN("") }

__global__ void __launch_bounds__(THREADS, 1) read_again_cg(unsigned long long base, unsigned int fours, unsigned int times,
                                                             unsigned int *sum, unsigned long long *report) { READ_AGAIN(".cg") }
"""


@dataclasses.dataclass(frozen=True)
class Chain:
    """`n` lines in memory from `base` on, `apart` bytes from one to the next."""

    base: int
    n: int
    apart: int
    bits: int               # physical memory has 2 to the power of `bits` lines, and is then met again at other addresses

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
        sizes = {"LINE": LINE, "SHARED": SHARED, "CONSTANT": CONSTANT, "AT_ONCE": AT_ONCE, "EACH": EACH, "THREADS": THREADS,
                 "ODD": f"{ODD}ull", "ADDED": f"{ADDED}ull", "ROUNDS": ROUNDS}
        self._code = kernels.compile(SOURCE, [f"-D{name}={value}" for name, value in sizes.items()])
        self._report = pinned.allocate(6, np.uint64)
        carveout = cu.CUfunction_attribute.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
        for kernel in (self._code.chase_ca, self._code.read_again_ca):
            ask(cu.cuFuncSetAttribute, kernel.handle, carveout, MOST_L1)

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
        self._code.lay(max(1, min(chain.n // THREADS, 1024)), THREADS, base, chain.n, apart, bits, max(chain.n - 1, 1).bit_length(),
                       stream=self._stream)
        self._stream.synchronize()
        return chain

    def follow(self, chain, what, begin, steps):
        """(nanoseconds of a read, GHz) of `steps` reads of a chain, from its step `begin` on, after as many that do not count."""
        before = min(chain.n, steps)
        kernel = getattr(self._code, f"chase_{PATHS[what]}")
        kernel(1, WARMING, chain.base, chain.n, chain.apart, chain.bits, chain.address(begin), before, steps, self._report,
               stream=self._stream)
        return self._read_report(chain.address(begin + before + steps), steps)

    def follow_shared(self, nbytes, steps):
        """The same of a chain in shared memory."""
        order, following = _ring(nbytes // LINE, LINE)
        with buffer("device", following.nbytes) as memory:
            _upload(memory.address, following)
            self._code.chase_shared(1, WARMING, memory.address, order.size, int(order[0]) * LINE, order.size, steps, self._report,
                                    stream=self._stream)
            return self._read_report(int(order[steps % order.size]) * LINE, steps)

    def follow_constant(self, nbytes, steps):
        """The same of a chain in constant memory."""
        order, following = _ring(nbytes // CONSTANT_LINE, CONSTANT_LINE)
        table = np.zeros((order.size, CONSTANT_LINE // 4), np.uint32)
        table[:, 0] = following
        _upload(self._code.variable("table")[0], table)
        self._code.chase_constant(1, 1, int(order[0]) * CONSTANT_LINE, order.size, steps, self._report, stream=self._stream)
        return self._read_report(int(order[steps % order.size]) * CONSTANT_LINE, steps)

    def time_each(self, chain, begin, steps):
        """Nanoseconds of each of `steps` reads past L1, up to EACH, with what it takes to look at the clock."""
        with buffer("device", 4 * steps) as memory:
            self._code.time_each(1, WARMING, chain.base, chain.n, chain.address(begin), steps, memory.address, self._report,
                                 stream=self._stream)
            _, gigahertz = self._read_report(chain.address(begin + steps), steps)
            cycles = np.empty(steps, np.uint32)
            cuda.memcpy_dtoh(cycles, memory.address)
        return cycles / gigahertz

    def read_again(self, base, nbytes, what, blocks, most, total, report=False):
        """Put a kernel on the stream whose blocks each read all of `nbytes` bytes, as `times` says.

        nbytes: a multiple of 16. total: the address of a word of 4 bytes on the device, to which the words read are added
        report: have `clock_rate` tell the first block's; it waits for the clock, so the kernel is not to be timed
        """
        kernel = getattr(self._code, f"read_again_{PATHS[what]}")
        each = times(nbytes, most) * (nbytes // 16) // THREADS
        kernel(blocks, THREADS, base, nbytes // 16, each, total, self._report if report else None, stream=self._stream)

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
    """How often a block reads all of `nbytes`, so that it reads about `most` bytes and each thread as many as the others."""
    fours = nbytes // 16
    whole = THREADS * AT_ONCE // math.gcd(fours, THREADS * AT_ONCE)     # of these, each thread reads AT_ONCE at a time
    return whole * max(1, round(most / (nbytes * whole)))


def shuffled(i, n):
    """The i-th of the numbers from 0 to n - 1, in an order without a pattern, always the same; as `shuffled` in the kernels."""
    bits = max(n - 1, 1).bit_length()
    while True:
        for _ in range(ROUNDS):
            i = (i * ODD + ADDED) % (1 << bits)
            i ^= i >> (bits + 1) // 2
        if i < n:
            return i


def _upload(address, array):
    """Copy to the device, and wait: a copy from pageable memory may return before it is there, and the stream does not wait for
    the default stream, on which it is made. (CUDA Driver API, "API synchronization behavior")"""
    cuda.memcpy_htod(address, array)
    cuda.Context.synchronize()


def _ring(n, apart):
    """(the order of n lines, for each line the offset of the next)"""
    order = np.array([shuffled(i, n) for i in range(n)], np.uint32)
    following = np.empty(n, np.uint32)
    following[order] = np.roll(order, -1) * np.uint32(apart)
    return order, following
