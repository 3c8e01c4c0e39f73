// Each half of the block comes to a barrier of its own.
// launch: 1 x 64
// expect: barrier
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = a[t];
        __syncthreads();
        b[t] = s[t + 32];
    } else {
        s[t] = 2 * a[t];
        __syncthreads();
        b[t] = s[t - 32] + 1;
    }
}
