// One thread of a block sees the flag, and a barrier passes it on to all of the block.
// launch: 2 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        b[64 + t] = a[t];
        __syncthreads();
        if (t == 0) { __threadfence(); atomicExch(&b[0], 1); }
    } else {
        if (t == 0) { while (atomicAdd(&b[0], 0) == 0); __threadfence(); }
        __syncthreads();
        b[128 + t] = b[64 + 63 - t];
    }
}
