// The last block of a scan adds up what the others wrote; there is no fence between a block's sum and its count.
// source: https://github.com/kokkos/kokkos/issues/2681
// launch: 4 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        b[blockIdx.x] = a[blockIdx.x + 3];  // <-
#ifdef MENDED
        __threadfence();
#endif
        last = atomicAdd(&b[100], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int j = 0; j < gridDim.x; j++)
            b[200 + j] = sum += b[j];       // <-
    }
}
