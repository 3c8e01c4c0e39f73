// A histogram that all blocks write is read by other blocks later in the same launch, with no barrier of the grid.
// source: https://github.com/ROCm/aiter/issues/3091
// launch: 4 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    b[i] = a[i] * 2;                        // <-
    __syncthreads();
#ifdef MENDED
    b[1000 + i] = a[(i + 64) % 256] * 2;
#else
    b[1000 + i] = b[(i + 64) % 256];        // <-
#endif
}
