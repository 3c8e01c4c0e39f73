// Two groups of warps, each with a barrier of its own, use the same scratch memory: its slot is the rank within the group.
// source: https://github.com/NVIDIA/cccl/pull/10985
// launch: 1 x 192
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int scratch[6];
    int t = threadIdx.x, warp = t / 32, group = warp / 3, sum = a[t];
#ifdef MENDED
    int *mine = scratch + 3 * group;
#else
    int *mine = scratch;
#endif
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (t % 32 == 0) mine[warp % 3] = sum;  // <-
    asm volatile("bar.sync %0, 96;" :: "r"(1 + group) : "memory");
    b[t] = mine[0] + mine[1] + mine[2];     // <-
}
