// Counters in shared memory are counted up before all of them are set to zero.
// source: https://github.com/alicevision/popsift/pull/82
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int bins[64];
    int t = threadIdx.x;
    bins[t] = 0;                            // <-
#ifdef MENDED
    __syncthreads();
#endif
    atomicAdd(&bins[a[t] * 7 % 64], 1);     // <-
    __syncthreads();
    b[t] = bins[t];
}
