// A tree of sums whose levels are not apart.
// launch: 1 x 256
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int d = 128; d > 0; d /= 2)
        if (t < d)
            s[t] += s[t + d];
    if (t == 0)
        b[0] = s[0];
}
