// Whole blocks return before a barrier.
// launch: 4 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (blockIdx.x >= 2)
        return;
    s[t] = a[t];
    __syncthreads();
    b[blockIdx.x * 64 + t] = s[63 - t];
}
