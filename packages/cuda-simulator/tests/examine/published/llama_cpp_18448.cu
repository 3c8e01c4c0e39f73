// A running sum is kept in shared memory, and its last thread adds to it while others still read it.
// source: https://github.com/ggml-org/llama.cpp/pull/18448
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int carry, sums[2];
    int t = threadIdx.x, lane = t % 32;
    if (t == 0) carry = 0;
    __syncthreads();
    for (int start = 0; start < 256; start += 64) {
        int sum = a[start + t];
        for (int step = 1; step < 32; step *= 2) {
            int other = __shfl_up_sync(~0u, sum, step);
            if (lane >= step) sum += other;
        }
        if (lane == 31) sums[t / 32] = sum;
        __syncthreads();
        if (t >= 32) sum += sums[0];
        b[start + t] = sum + carry;         // <-
#ifdef MENDED
        __syncthreads();
#endif
        if (t == 63) carry += sum;          // <-
        __syncthreads();
    }
}
