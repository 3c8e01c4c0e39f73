// Odd-even sorting: each thread exchanges a pair of its own, with barriers between the steps.
// launch: 1 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = a[127 - t]; s[t + 64] = a[63 - t];
    for (int step = 0; step < 8; step++) {
        __syncthreads();
        int i = 2 * t + step % 2;
        if (i + 1 < 128 && s[i] > s[i + 1]) { int x = s[i]; s[i] = s[i + 1]; s[i + 1] = x; }
    }
    __syncthreads();
    b[t] = s[t];
}
