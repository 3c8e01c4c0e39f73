// One warp continues before a barrier in a loop, and meets the others one turn later.
// launch: 1 x 96
// expect: barrier
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[96];
    int t = threadIdx.x;
    s[t] = 0;
    for (int i = 0; i < 3; i++) {
        if (i == 1 && t < 32) continue;
        s[t] = a[t] + i;
        __syncthreads();
        b[t] += s[95 - t];
        __syncthreads();
    }
}
