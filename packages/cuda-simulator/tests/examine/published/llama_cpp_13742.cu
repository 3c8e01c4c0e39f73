// Each warp decides by a mask in shared memory to skip a tile, and then fills the mask that others still look at.
// source: https://github.com/ggml-org/llama.cpp/pull/13742
// launch: 1 x 64
// expect: race barrier
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int mask[64];
    int t = threadIdx.x;
    for (int tile = 0; tile < 4; tile++) {
        mask[t] = a[tile * 64 + t] / 64 % 2;    // <-
        __syncthreads();                    // <-
        int seen = 0;
        for (int j = 0; j < 64; j++)
            seen |= mask[j];                // <-
#ifdef MENDED
        __syncthreads();
#endif
        if (!seen) continue;
        b[tile * 64 + t] = seen + t;
        __syncthreads();                    // <-
    }
}
