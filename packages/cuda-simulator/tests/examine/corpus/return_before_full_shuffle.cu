// Threads past the end return; the others sum by shuffles whose mask names all 32.
// launch: 1 x 32
// expect: shuffle
extern "C" __global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x;
    if (t >= 20) return;
    int sum = a[t];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t == 0) *b = sum;
}
