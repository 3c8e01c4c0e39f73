// Some lanes end; the others shuffle with a mask of those that are left.
// launch: 1 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x;
    if (t % 32 >= 16) return;
    int x = a[t];
    for (int d = 8; d > 0; d /= 2) x += __shfl_down_sync(0xffff, x, d);
    if (t % 32 == 0) b[t] = x;
}
