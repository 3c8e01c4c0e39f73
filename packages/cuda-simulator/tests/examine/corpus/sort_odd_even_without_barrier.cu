// The steps are not apart.
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = a[127 - t]; s[t + 64] = a[63 - t];
    __syncthreads();
    for (int step = 0; step < 8; step++) {
        int i = 2 * t + step % 2;
        if (i + 1 < 128 && s[i] > s[i + 1]) { int x = s[i]; s[i] = s[i + 1]; s[i + 1] = x; }
    }
    __syncthreads();
    b[t] = s[t];
}
