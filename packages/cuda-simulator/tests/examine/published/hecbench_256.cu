// Cascaded filters: a thread reads its neighbour's last output while the neighbour writes the next.
// source: https://github.com/ORNL/HeCBench/issues/256
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int out[64];
    int t = threadIdx.x;
    out[t] = 0;
    __syncthreads();
    for (int i = 0; i < 8; i++) {
        int in = t == 0 ? a[i] : out[t - 1];    // <-
#ifdef MENDED
        __syncthreads();
#endif
        out[t] = 3 * in + t;                // <-
        __syncthreads();
    }
    b[t] = out[t];
}
