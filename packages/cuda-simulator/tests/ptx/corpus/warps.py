"""Warp-level programming: shuffles, votes, match, and what is built of them."""

import numpy as np

from . import case, mixed, zeros

F = np.float32

case("warp_reduction_by_shuffles",
     "The sum of a warp without shared memory.", """
extern "C" __global__ void k(const float *a, float *out) {
    float t = a[blockIdx.x * 96 + threadIdx.x];
    for (int d = 16; d; d >>= 1)
        t += __shfl_down_sync(0xffffffffu, t, d);
    if (threadIdx.x % 32 == 0)
        out[blockIdx.x * 3 + threadIdx.x / 32] = t;
}
""", grid=2, block=96,
     arguments=(mixed(192, F, -1, 1), zeros(6, F)))

case("block_reduction_by_shuffles",
     "The sum of each warp, and then of the warps' sums.", """
extern "C" __global__ void k(const int *a, int *out) {
    __shared__ int s[8];
    int t = threadIdx.x, x = a[blockIdx.x * 256 + t];
    for (int d = 16; d; d /= 2)
        x += __shfl_xor_sync(~0u, x, d);
    if (t % 32 == 0)
        s[t / 32] = x;
    __syncthreads();
    if (t < 32) {
        x = t < 8 ? s[t] : 0;
        for (int d = 4; d; d /= 2)
            x += __shfl_down_sync(~0u, x, d);
        if (t == 0)
            out[blockIdx.x] = x;
    }
}
""", grid=3, block=256,
     arguments=(mixed(768), zeros(3)),
     expected=lambda a, out: {1: a.reshape(3, 256).sum(axis=1, dtype=np.int32)})

case("warp_scan",
     "Running sums of a warp by shuffles.", """
extern "C" __global__ void k(const int *a, int *out) {
    int x = a[threadIdx.x], l = threadIdx.x & 31;
    for (int d = 1; d < 32; d *= 2) {
        int y = __shfl_up_sync(~0u, x, d);
        if (l >= d)
            x += y;
    }
    out[threadIdx.x] = x;
}
""", grid=1, block=64,
     arguments=(mixed(64), zeros(64)),
     expected=lambda a, out: {1: np.cumsum(a.reshape(2, 32), axis=1, dtype=np.int32).ravel()})

case("ballot_compaction",
     "A vote tells each thread how many before it keep their element.", """
extern "C" __global__ void k(const int *a, int *out, int *n) {
    int x = a[threadIdx.x], keep = x % 2;
    unsigned m = __ballot_sync(~0u, keep), before = __popc(m & ((1u << (threadIdx.x & 31)) - 1));
    int base = 0;
    if ((threadIdx.x & 31) == 0)
        base = threadIdx.x / 32 * 32;
    base = __shfl_sync(~0u, base, 0);
    if (keep)
        out[base + before] = x;
    if ((threadIdx.x & 31) == 0)
        n[threadIdx.x / 32] = __popc(m);
}
""", grid=1, block=96,
     arguments=(mixed(96), zeros(96), zeros(3)))

case("votes",
     "any, all and ballot.", """
extern "C" __global__ void k(const int *a, int *out) {
    int x = a[threadIdx.x];
    out[threadIdx.x] = __any_sync(~0u, x > 990) | __all_sync(~0u, x > 5) << 1 |
                       (__ballot_sync(~0u, x > 300) >> (threadIdx.x & 31) & 3) << 2;
}
""", grid=1, block=128,
     arguments=(mixed(128), zeros(128)))

case("match_any_histogram",
     "Threads with equal keys find each other; one of them adds for all.", """
extern "C" __global__ void k(const int *a, int *h) {
    int k = a[threadIdx.x] % 11;
    unsigned m = __match_any_sync(~0u, k);
    if ((threadIdx.x & 31) == __ffs(m) - 1)
        atomicAdd(h + k, __popc(m));
}
""", grid=1, block=160,
     arguments=(mixed(160), zeros(11)),
     expected=lambda a, h: {1: np.bincount(a % 11, minlength=11).astype(np.int32)})

case("match_all",
     "Whether all threads of a warp have the same value.", """
extern "C" __global__ void k(const long long *a, unsigned *out) {
    int p;
    unsigned m = __match_all_sync(~0u, a[threadIdx.x] / (threadIdx.x < 32 ? 1000000 : 1), &p);
    out[threadIdx.x] = m ^ p;
}
""", grid=1, block=64,
     arguments=(mixed(64, np.int64), zeros(64, np.uint32)))

case("reduce_in_one_instruction",
     "__reduce_*_sync: the whole warp's sum, maximum, minimum and exclusive or.", """
extern "C" __global__ void k(const int *a, int *out) {
    int x = a[threadIdx.x] - 500;
    out[threadIdx.x] = __reduce_add_sync(~0u, x) + 3 * __reduce_max_sync(~0u, x) -
                       __reduce_min_sync(~0u, x) + __reduce_xor_sync(~0u, (unsigned)x);
}
""", grid=1, block=64,
     arguments=(mixed(64), zeros(64)))

case("shuffles_of_every_kind",
     "idx, up, down and xor, over the warp and over parts of it.", """
extern "C" __global__ void k(const int *a, int *out) {
    int x = a[threadIdx.x], t = threadIdx.x;
    out[t] = __shfl_sync(~0u, x, t * 7) + 3 * __shfl_up_sync(~0u, x, 5) +
             5 * __shfl_down_sync(~0u, x, 9) + 7 * __shfl_xor_sync(~0u, x, 21) +
             11 * __shfl_sync(~0u, x, 3, 8) + 13 * __shfl_up_sync(~0u, x, 1, 4) +
             17 * __shfl_down_sync(~0u, x, 3, 16) + 19 * __shfl_xor_sync(~0u, x, 6, 8);
}
""", grid=1, block=64,
     arguments=(mixed(64), zeros(64)))

case("shuffle_of_64_bits",
     "A double is shuffled as two halves.", """
extern "C" __global__ void k(const double *a, double *out) {
    out[threadIdx.x] =
        __shfl_xor_sync(~0u, a[threadIdx.x], 13) - __shfl_down_sync(~0u, a[threadIdx.x], 2);
}
""", grid=1, block=32,
     arguments=(mixed(32, np.float64), zeros(32, np.float64)))

case("divergent_branches_meet_in_a_shuffle",
     "Threads that took different ways come together for a shuffle.", """
extern "C" __global__ void k(const int *a, int *out) {
    int t = threadIdx.x, x = a[t];
    if (t & 1)
        for (int k = 0; k < t % 6; k++)
            x = x * 3 + k;
    else if (t & 4)
        x -= 100;
    out[t] = __shfl_xor_sync(~0u, x, 1) + __shfl_sync(~0u, x, 31 - (t & 31));
}
""", grid=1, block=64,
     arguments=(mixed(64), zeros(64)))

case("bitonic_sort_in_a_warp",
     "A sorting network over registers.", """
extern "C" __global__ void k(int *d) {
    int t = threadIdx.x & 31, x = d[threadIdx.x];
    for (int k = 2; k <= 32; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            int y = __shfl_xor_sync(~0u, x, j);
            bool up = (t & k) == 0, low = (t & j) == 0;
            x = (low == up) == (x < y) || x == y ? x : y;
        }
    d[threadIdx.x] = x;
}
""", grid=1, block=64,
     arguments=(mixed(64),),
     expected=lambda d: {0: np.sort(d.reshape(2, 32), axis=1).ravel()})

case("special_registers",
     "Lane number and lane masks, in a block whose rows are no warps.", """
extern "C" __global__ void k(unsigned *out) {
    unsigned l, lt, le, gt, ge, eq;
    asm("mov.u32 %0, %laneid;" : "=r"(l));
    asm("mov.u32 %0, %lanemask_lt;" : "=r"(lt));
    asm("mov.u32 %0, %lanemask_le;" : "=r"(le));
    asm("mov.u32 %0, %lanemask_gt;" : "=r"(gt));
    asm("mov.u32 %0, %lanemask_ge;" : "=r"(ge));
    asm("mov.u32 %0, %lanemask_eq;" : "=r"(eq));
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x;
    out[t * 6] = l;
    out[t * 6 + 1] = lt;
    out[t * 6 + 2] = le;
    out[t * 6 + 3] = gt;
    out[t * 6 + 4] = ge;
    out[t * 6 + 5] = eq;
}
""", grid=1, block=(10, 7),
     arguments=(zeros(420, np.uint32),))
