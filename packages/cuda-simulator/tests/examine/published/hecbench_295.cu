// A plain store shortens a path in an array that other threads change with atomicCAS.
// source: https://github.com/ORNL/HeCBench/pull/295
// launch: 2 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2)
        atomicCAS(&b[i / 2], 0, i);         // <-
    else
#ifdef MENDED
        atomicExch(&b[63 - i / 2], a[i]);
#else
        b[63 - i / 2] = a[i];         // <-
#endif
}
