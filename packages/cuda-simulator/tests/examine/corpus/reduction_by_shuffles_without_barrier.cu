// The first thread adds the warps' sums before they are there.
// launch: 2 x 128
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int sums[4];
    int t = threadIdx.x, sum = a[blockIdx.x * 128 + t];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t % 32 == 0)
        sums[t / 32] = sum;
    if (t == 0)
        b[blockIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}
