// Threads return after the last barrier.
// launch: 1 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    if (t >= 50)
        return;
    b[t] = s[49 - t];
}
