// One thread tells that its block is done while others of the block still count; the last block reads the counts.
// source: https://github.com/NVIDIA/cccl/pull/10627
// launch: 4 x 128
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ bool last;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    atomicAdd(&b[a[i] % 16], 1);            // <-
#ifdef MENDED
    __syncthreads();
#endif
    __threadfence();
    if (t == 0) last = atomicAdd(&b[100], 1) == gridDim.x - 1;
    __syncthreads();
    if (last && t < 16) b[200 + t] = b[t];  // <-
}
