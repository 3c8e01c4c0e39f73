// A tree of sums with a barrier at each level.
// launch: 4 x 256
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        b[blockIdx.x] = s[0];
}
