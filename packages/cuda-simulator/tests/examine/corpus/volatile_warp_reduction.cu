// The last levels of a reduction over a volatile pointer, without __syncwarp(): what was written for GPUs before Volta.
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[96];
    int t = threadIdx.x;
    s[t] = a[t];
    if (t < 32) s[64 + t] = 0;
    __syncthreads();
    if (t < 32) {
        volatile int *v = s;
        v[t] += v[t + 32];
        v[t] += v[t + 16];
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
    }
    if (t == 0) b[0] = s[0];
}
