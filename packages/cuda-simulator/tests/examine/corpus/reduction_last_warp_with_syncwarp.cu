// The last levels in one warp, with __syncwarp() after reading and after writing.
// launch: 1 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[96];
    int t = threadIdx.x;
    s[t] = a[t];
    if (t < 32) s[64 + t] = 0;
    __syncthreads();
    if (t < 32)
        for (int d = 32; d > 0; d /= 2) {
            int other = s[t + d];
            __syncwarp();
            s[t] += other;
            __syncwarp();
        }
    if (t == 0)
        b[0] = s[0];
}
