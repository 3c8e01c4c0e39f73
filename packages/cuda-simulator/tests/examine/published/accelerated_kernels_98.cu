// A block publishes its total and then a flag, with no fence between; the next block waits for the flag and reads the total.
// source: https://github.com/JuliaGPU/AcceleratedKernels.jl/pull/98
// launch: 4 x 32
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int block = blockIdx.x, *totals = b, *flags = b + 100;
    if (threadIdx.x > 0) return;
    int sum = a[block + 1];
    if (block > 0) {
        while (atomicAdd(&flags[block - 1], 0) == 0) ;
#ifdef MENDED
        __threadfence();
#endif
        sum += totals[block - 1];           // <-
    }
    totals[block] = sum;                    // <-
#ifdef MENDED
    __threadfence();
#endif
    atomicExch(&flags[block], 1);
}
