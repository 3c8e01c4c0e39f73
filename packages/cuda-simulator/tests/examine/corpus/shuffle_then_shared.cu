// Each warp's last lane writes the warp's sum, and all read all sums after the barrier.
// launch: 1 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[2];
    int t = threadIdx.x, x = a[t];
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(0xffffffff, x, d);
        if (t % 32 >= d) x += other;
    }
    if (t % 32 == 31) s[t / 32] = x;
    __syncthreads();
    b[t] = x + (t >= 32 ? s[0] : 0);
}
