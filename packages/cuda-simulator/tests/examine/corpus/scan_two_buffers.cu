// A scan that reads one buffer and writes the other, in turn.
// launch: 1 x 128
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[2][128];
    int t = threadIdx.x, from = 0;
    s[0][t] = a[t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        from = 1 - from;
        __syncthreads();
    }
    b[t] = s[from][t];
}
