// A loop until nothing changes, told by __syncthreads_or.
// launch: 1 x 128
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[128];
    int t = threadIdx.x, changed = 1;
    s[t] = (a[t] * 53) % 128;
    __syncthreads();
    while (changed) {
        int most = t > 0 ? max(s[t], s[t - 1]) : s[t];
        changed = __syncthreads_or(most != s[t]);
        s[t] = most;
        __syncthreads();
    }
    b[t] = s[t];
}
