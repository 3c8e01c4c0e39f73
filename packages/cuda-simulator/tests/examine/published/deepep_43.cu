// Each warp turns the same rows into running sums in place; it was right as long as there was one warp.
// source: https://github.com/deepseek-ai/DeepEP/issues/43
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x, row = t % 32;
#ifdef MENDED
    if (t >= 32) return;
#endif
    for (int j = 1; j < 8; j++)
        a[row * 8 + j] += a[row * 8 + j - 1];   // <-
}
