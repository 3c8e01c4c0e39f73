"""The kernels that are measured, and those that fill memory and check it.

They access memory in three patterns. Each touches every word once, so that what was read or written can be checked:

- coalesced: 16 bytes a thread, neighbouring threads at neighbouring places: what a link and a memory like best;
- strided: 4 bytes a thread, each 33 words (132 bytes) from the last thread's: no two share a sector of 32 bytes;
- random: 4 bytes a thread, at places that have nothing to do with one another.

A read compares each word with the pattern (patterns.py) and counts the wrong ones: nothing is read in vain, so the
compiler cannot leave a read out. Not here: what is timed around them (access.py), and the kernels that follow chains of
addresses (chase_code.py).
"""
from course_lib import kernels, pinned

import numpy as np

from ..recording import PATTERNS
from .patterns import STEP, seed_of, wrong_data

THREADS, BLOCKS_PER_PROCESSOR = 512, 4      # fills an H200's multiprocessor
NONE_WRONG = 2**64 - 1                      # "the first wrong place" where there is none

SOURCE = """
typedef unsigned int word;
typedef unsigned long long place;
#define FIRST (blockIdx.x * (place) blockDim.x + threadIdx.x)
#define ALL (gridDim.x * (place) blockDim.x)
#define AT_ONCE 4      // accesses that a thread has under way

__device__ word pattern(place i, word seed) { return (word) i * STEP + seed; }

// wrong[0] counts the wrong words, wrong[1] is the place of the first of them
__device__ void compare(word found, place i, word seed, place *wrong) {
    if (found == pattern(i, seed)) return;
    atomicAdd(wrong, 1);
    atomicMin(wrong + 1, i);
}

__global__ void read_coalesced(const unsigned int *data, unsigned long long n, unsigned int seed,
                               unsigned long long *wrong) {
    const uint4 *fours = (const uint4 *) data;
    for (place start = FIRST; start < n / 4; start += AT_ONCE * ALL) {
        uint4 found[AT_ONCE];
        #pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (start + k * ALL < n / 4) found[k] = fours[start + k * ALL];
        #pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            place i = 4 * (start + k * ALL);
            if (i / 4 >= n / 4) break;
            compare(found[k].x, i, seed, wrong);
            compare(found[k].y, i + 1, seed, wrong);
            compare(found[k].z, i + 2, seed, wrong);
            compare(found[k].w, i + 3, seed, wrong);
        }
    }
    for (place i = n / 4 * 4 + FIRST; i < n; i += ALL) compare(data[i], i, seed, wrong);
}

__global__ void write_coalesced(unsigned int *data, unsigned long long n, unsigned int seed) {
    uint4 *fours = (uint4 *) data;
    for (place four = FIRST; four < n / 4; four += ALL) {
        place i = 4 * four;
        fours[four] = make_uint4(pattern(i, seed), pattern(i + 1, seed), pattern(i + 2, seed), pattern(i + 3, seed));
    }
    for (place i = n / 4 * 4 + FIRST; i < n; i += ALL) data[i] = pattern(i, seed);
}

// The i-th place to go to, of 2 to the power of `bits`. Each step of both is one-to-one, so that no place is left out.
__device__ place scattered(place i, int bits, bool at_random) {
    place last = ((place) 1 << bits) - 1;
    if (!at_random) return i * 33 & last;
    for (int round = 0; round < 2; round++) {
        i = i * 0x9E3779B97F4A7C15ull & last;
        i ^= i >> (bits + 1) / 2;
    }
    return i;
}

__global__ void read_scattered(const unsigned int *data, int bits, bool at_random, unsigned int seed,
                               unsigned long long *wrong) {
    place n = (place) 1 << bits;
    for (place start = FIRST; start < n; start += AT_ONCE * ALL) {
        word found[AT_ONCE];
        #pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (start + k * ALL < n) found[k] = data[scattered(start + k * ALL, bits, at_random)];
        #pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (start + k * ALL < n) compare(found[k], scattered(start + k * ALL, bits, at_random), seed, wrong);
    }
}

__global__ void write_scattered(unsigned int *data, int bits, bool at_random, unsigned int seed) {
    for (place i = FIRST; i < (place) 1 << bits; i += ALL) {
        place to = scattered(i, bits, at_random);
        data[to] = pattern(to, seed);
    }
}

// Holds a stream back until the host opens the gate (timing.py). It ends by itself after some seconds.
__global__ void wait_for(const volatile int *open) {
    for (int i = 0; i < 10000000 && !*open; i++);
}

// Arithmetic that takes time, on each word by itself: `rounds` additions of 1, which the compiler cannot sum up.
__global__ void work(unsigned int *data, unsigned long long n, int rounds) {
    for (place i = FIRST; i < n; i += ALL) {
        word value = data[i];
        for (int k = 0; k < rounds; k++) asm volatile("add.u32 %0, %0, 1;" : "+r"(value));
        data[i] = value;
    }
}
"""


class DeviceCode:
    """The kernels, compiled for the current context's device. Use it in ``with``."""

    def __init__(self, processors):
        """processors: how many multiprocessors the device has"""
        self._most_blocks = processors * BLOCKS_PER_PROCESSOR
        self._code = kernels.compile(SOURCE.replace("STEP", f"{STEP}u"))
        self._wrong = pinned.allocate(2, np.uint64)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._wrong.release()
        self._code.release()

    def read(self, address, nbytes, sample, pattern=PATTERNS[0], stream=None):
        """Have a kernel read memory and compare it with a sample's pattern; `require_right` tells what it found."""
        words = nbytes // 4
        if pattern == "coalesced":
            self._code.read_coalesced(self._blocks(nbytes // 16), THREADS, address, words, seed_of(sample), self._wrong,
                                      stream=stream)
        else:
            self._code.read_scattered(self._blocks(words), THREADS, address, bits(words), pattern == "random",
                                      seed_of(sample), self._wrong, stream=stream)

    def write(self, address, nbytes, sample, pattern=PATTERNS[0], stream=None):
        """Have a kernel write a sample's pattern to memory."""
        words = nbytes // 4
        if pattern == "coalesced":
            self._code.write_coalesced(self._blocks(nbytes // 16), THREADS, address, words, seed_of(sample),
                                       stream=stream)
        else:
            self._code.write_scattered(self._blocks(words), THREADS, address, bits(words), pattern == "random",
                                       seed_of(sample), stream=stream)

    def work(self, address, nbytes, rounds, stream):
        """Have a kernel add `rounds` to each word, 1 at a time."""
        self._code.work(self._blocks(nbytes // 4), THREADS, address, nbytes // 4, rounds, stream=stream)

    def wait_for(self, gate, stream):
        """Have a kernel hold a stream back until the int in pinned memory at `gate` is not 0."""
        self._code.wait_for(1, 1, gate, stream=stream)

    def forget(self):
        """Begin to count wrong words anew."""
        self._wrong.array[:] = 0, NONE_WRONG

    def require_right(self):
        """Raise WrongData if a `read` since `forget` found a wrong word. Call it once the kernels are done."""
        count, first_wrong = map(int, self._wrong.array)
        if count:
            raise wrong_data(first_wrong, count)

    def _blocks(self, items):
        return max(1, min(-(-items // THREADS), self._most_blocks))


def bits(words):
    """The power of two that `words` is; the scattered patterns need one."""
    if words & (words - 1):
        raise ValueError(f"{words} words are not a power of two")
    return words.bit_length() - 1
