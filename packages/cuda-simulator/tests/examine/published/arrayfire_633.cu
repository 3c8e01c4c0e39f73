// The first half of a block adds the second half's numbers to its own, before all have been put into shared memory.
// source: https://github.com/arrayfire/arrayfire/pull/633
// launch: 2 x 128
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[128];
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * 128 + t; i < 1024; i += 256) sum += a[i];
    s[t] = sum;                             // <-
#ifdef MENDED
    __syncthreads();
#endif
    if (t < 64) s[t] = sum += s[t + 64];    // <-
    __syncthreads();
    if (t == 0)
        for (int j = 0; j < 64; j++) b[blockIdx.x] += s[j];
}
