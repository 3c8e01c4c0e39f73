// A compiler left out the barriers of a loop, because the loop is in a branch that not all threads of the block take.
// source: https://github.com/tile-ai/tilelang/issues/2612
// launch: 1 x 128
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[128];
    int t = threadIdx.x, sum = 0;
    if (t >= 64) return;
    for (int i = 0; i < 2; i++) {
        s[t] = a[i * 128 + t];              // <-
#ifdef MENDED
        asm volatile("bar.sync 1, 64;" ::: "memory");
#endif
        sum += s[63 - t];                   // <-
#ifdef MENDED
        asm volatile("bar.sync 1, 64;" ::: "memory");
#endif
    }
    b[t] = sum;
}
