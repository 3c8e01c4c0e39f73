// A softmax reduces twice through the same shared buffer: the sums overwrite maxima that other warps still read.
// source: https://github.com/ggml-org/llama.cpp/pull/5853
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int buffer[2];
    int t = threadIdx.x, warp = t / 32, most = a[t], sum;
    for (int step = 16; step > 0; step /= 2) most = max(most, __shfl_xor_sync(~0u, most, step));
    if (t % 32 == 0) buffer[warp] = most;
    __syncthreads();
    most = max(buffer[0], buffer[1]);       // <-
    sum = most - a[t];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
#ifdef MENDED
    __syncthreads();
#endif
    if (t % 32 == 0) buffer[warp] = sum;    // <-
    __syncthreads();
    b[t] = buffer[0] + buffer[1];
}
