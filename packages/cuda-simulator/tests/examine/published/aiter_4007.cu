// Blocks add to a common histogram and count themselves; the block that has seen all of them counted reads it, and no block has a fence before.
// source: https://github.com/ROCm/aiter/pull/4007
// launch: 4 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x;
    atomicAdd(&b[a[blockIdx.x * 64 + t] % 16], 1);   // <-
#ifdef MENDED
    __threadfence();
#endif
    __syncthreads();
    if (t == 0) {
        atomicAdd(&b[100], 1);
        while (atomicAdd(&b[100], 0) < gridDim.x) ;
    }
    __syncthreads();
    if (t < 16) b[200 + blockIdx.x * 16 + t] = b[t]; // <-
}
