// Blocks add in turn; each hands its turn on without a fence of the threads that wrote.
// source: https://github.com/NVIDIA/Fuser/pull/2391
// launch: 3 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x;
    volatile int *turn = b + 1000;
    if (t == 0) while (*turn != blockIdx.x) ;
    __syncthreads();
    b[t] += a[blockIdx.x * 64 + t];         // <-
#ifdef MENDED
    __threadfence();
#endif
    __syncthreads();
    if (t == 0) *turn = blockIdx.x + 1;
}
