// The grid's first thread clears a flag that threads of other blocks set; the barrier between holds for one block only.
// source: https://github.com/NVIDIA/apex/pull/753
// launch: 4 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef MENDED
    if (i == 0) b[0] = 0;                   // <-
    __syncthreads();
#endif
    if (a[i] == 100) b[0] = 1;              // <-
}
