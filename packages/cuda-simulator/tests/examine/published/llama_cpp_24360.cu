// A scan over time loads the next step's coefficients while other warps still use this step's.
// source: https://github.com/ggml-org/llama.cpp/pull/24360
// launch: 1 x 128
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int left[16], right[16];
    int t = threadIdx.x, state = 0;
    for (int step = 0; step < 8; step++) {
        if (t < 16) {
            left[t] = a[step * 16 + t];     // <-
            right[t] = a[t] - step;         // <-
        }
        __syncthreads();
        for (int j = 0; j < 16; j++)
            state += left[j] * right[j];    // <-
        b[step * 128 + t] = state;
#ifdef MENDED
        __syncthreads();
#endif
    }
}
