// Thread 0 overwrites its block's total in global memory with the prefix before later warps have read the total.
// source: https://github.com/NVIDIA/cccl/pull/4556
// launch: 2 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x, block = blockIdx.x;
    if (t == 0) b[block] = a[block + 7];
    __syncthreads();
    int total = b[block];                   // <-
#ifdef MENDED
    __syncthreads();
#endif
    if (t == 0) b[block] = total + 1000;    // <-
    b[100 + block * 64 + t] = total + t;
}
