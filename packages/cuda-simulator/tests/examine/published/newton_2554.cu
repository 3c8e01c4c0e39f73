// All threads read the number of the level they work on, and the grid's first thread counts it up in the same launch.
// source: https://github.com/newton-physics/newton/pull/2554
// launch: 4 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int level = b[0];                           // <-
    if (a[i] % 4 == level) b[1 + i] = level + 1;
#ifndef MENDED
    if (i == 0) b[0] = level + 1;               // <-
#endif
}
