// The first lane of a warp stores in shared memory where the warp's scratch begins, and the others read it on the next line.
// source: https://github.com/ORNL/HeCBench/pull/221
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int starts[2];
    int t = threadIdx.x, warp = t / 32;
    if (t % 32 == 0) starts[warp] = 100 + 100 * warp;   // <-
#ifdef MENDED
    __syncwarp();
#endif
    b[t] = starts[warp] + a[t];             // <-
}
