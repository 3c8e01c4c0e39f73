// The largest number of all blocks is read plainly, compared, and exchanged atomically.
// source: https://github.com/tugot17/pmpp/issues/28
// launch: 4 x 32
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x, most = a[blockIdx.x * 32 + t];
    for (int step = 16; step > 0; step /= 2) most = max(most, __shfl_xor_sync(~0u, most, step));
    if (t == 0)
#ifdef MENDED
        atomicMax(b, most);
#else
        atomicExch(b, max(*b, most));       // <-
#endif
}
