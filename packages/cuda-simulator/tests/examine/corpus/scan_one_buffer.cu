// A scan in one buffer: some write what others still read.
// launch: 1 x 128
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        if (t >= d)
            s[t] += s[t - d];
        __syncthreads();
    }
    b[t] = s[t];
}
