// Each warp mends the offset where its row begins and the one where it ends, which the next warp mends as well.
// source: https://github.com/pytorch/FBGEMM/pull/5638
// launch: 2 x 128
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / 32;
    if (i % 32) return;
    b[row] = a[row] * 10;                   // <-
#ifdef MENDED
    if (row == 7) b[8] = 80;
#else
    b[row + 1] = a[row] * 10 + 10;          // <-
#endif
}
