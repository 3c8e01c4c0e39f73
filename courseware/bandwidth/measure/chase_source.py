"""The kernels that find out how far away memory is, in CUDA C++: one thread that waits for each read, and all that read
at once.

A *chain* is laid in memory first: each line holds the address of the next, in random order. Following it, no read can
begin before the last one has brought its address. The loads are written as PTX: ld.global reads through the L1 cache,
ld.global.cg past it, from L2 (PTX ISA, "Cache Operators"). Volatile assembly the compiler leaves where it is.

A kernel reads two clocks: %clock64 counts the multiprocessor's cycles, %globaltimer nanoseconds. The second moves on in
steps, so both are read just after a step. Names in capitals are told to the compiler (chase_code.py), where they are
explained.
"""
SOURCE = """
typedef unsigned int word;
typedef unsigned long long place;
#define FIRST (blockIdx.x * (place) blockDim.x + threadIdx.x)
#define ALL (gridDim.x * (place) blockDim.x)

// The i-th line: `apart` bytes from the last, a power of two. Lines that are farther apart than they are long begin at
// different places within these bytes, or they would compete for the same places of a cache. Where 2 to the power of
// `bits` lines are all that physical memory has, the next are the same memory again, and begin at places not used yet.
__device__ place line(place base, place i, place apart, int bits) {
    place again = i >> bits, within = i - (again << bits);
    return base + i * apart + ((again + 37 * within) * LINE & (apart - 1));
}

// The i-th of the numbers below n, in an order without a pattern. Each round is one-to-one on the numbers of so many
// bits; what comes to n or beyond goes on until it is below.
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

// All threads read every line, so that the caches have as much of it as they can. Then one thread follows the chain,
// `before` steps and then `steps` that are timed. report: where it came to, cycles, both clocks before and after.
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

// Every block reads all of the data, 16 bytes a thread, each from another place on, and around until each thread has
// read `times`. sum: of all words that were read. report: both clocks of the first block before and after; null where a
// wait for the slower clock would count.
#define READ_AGAIN(CACHE) \\
    __shared__ word of_block; \\
    bool reports = report && blockIdx.x == 0 && threadIdx.x == 0; \\
    if (threadIdx.x == 0) of_block = 0; \\
    if (reports) read_clocks(report + 2); \\
    __syncthreads(); \\
    word at = (word) (((place) blockIdx.x * fours / gridDim.x + threadIdx.x) % fours); \\
    word step = blockDim.x % fours, own = 0; \\
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

__global__ void __launch_bounds__(THREADS, 1)
read_again_ca(unsigned long long base, unsigned int fours, unsigned int times, unsigned int *sum,
              unsigned long long *report) { READ_AGAIN("") }

__global__ void __launch_bounds__(THREADS, 1)
read_again_cg(unsigned long long base, unsigned int fours, unsigned int times, unsigned int *sum,
              unsigned long long *report) { READ_AGAIN(".cg") }
"""
