// A barrier of the whole grid: one thread of each block has a fence and counts, but not the threads that wrote.
// source: https://github.com/NVIDIA/cuml/issues/4157
// launch: 4 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    b[i] = a[i] * 3;                        // <-
#ifdef MENDED
    __threadfence();
    __syncthreads();
#endif
    if (t == 0) {
        __threadfence();
        atomicAdd(&b[2000], 1);
        while (atomicAdd(&b[2000], 0) < gridDim.x) ;
        __threadfence();
    }
    __syncthreads();
    b[1000 + i] = b[(i + 64) % 256];        // <-
}
