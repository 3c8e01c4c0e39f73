// The tile of an attention kernel is used again for partial results while other warps still read it.
// source: https://github.com/ggml-org/llama.cpp/pull/13438
// launch: 1 x 128
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int tile[128];
    int t = threadIdx.x, sum = 0;
    tile[t] = a[t];
    __syncthreads();
    for (int j = 0; j < 128; j++)
        sum += tile[j] * (t + j);           // <-
#ifdef MENDED
    __syncthreads();
#endif
    tile[t] = sum;                          // <-
    __syncthreads();
    if (t < 64) b[t] = tile[t] + tile[t + 64];
}
