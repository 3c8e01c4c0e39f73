// A scan in one buffer with a barrier after reading as well.
// launch: 1 x 128
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        int other = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += other;
        __syncthreads();
    }
    b[t] = s[t];
}
