// The last levels stay in one warp, whose threads need not run in step.
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    if (t < 32)
        for (int d = 32; d > 0; d /= 2)
            s[t] += s[t + d];
    if (t == 0)
        b[0] = s[0];
}
