// A reduction over y and then over x through the same shared memory, with no barrier between the two.
// source: https://github.com/pytorch/pytorch/pull/162995
// launch: 1 x 32 4
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[4][32];
    int x = threadIdx.x, y = threadIdx.y, sum = a[y * 32 + x];
    s[y][x] = sum;
    for (int step = 2; step > 0; step /= 2) {
        __syncthreads();
        if (y < step) {
            sum += s[y + step][x];          // <-
            s[y][x] = sum;
        }
    }
#ifdef MENDED
    __syncthreads();
#endif
    s[y][x] = sum;                          // <-
    for (int step = 16; step > 0; step /= 2) {
        __syncthreads();
        if (x < step) s[y][x] = sum += s[y][x + step];
    }
    if (x == 0) b[y] = sum;
}
