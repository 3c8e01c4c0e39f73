// Threads that have nothing to do return before the barrier.
// launch: 1 x 64
// expect: barrier
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= 50)
        return;
    s[t] = a[t];
    __syncthreads();
    b[t] = s[49 - t];
}
