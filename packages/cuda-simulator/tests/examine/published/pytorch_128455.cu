// The last block of a reduction has counted itself, and reads the others' results without a fence of its own.
// source: https://github.com/pytorch/pytorch/pull/128455
// launch: 4 x 64
// expect: race
// missed: the reader's fence is not asked for, because NVIDIA's own sample of a last block has none
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ bool last;
    int t = threadIdx.x;
    b[blockIdx.x * 64 + t] = a[t] + blockIdx.x; // <-
    __threadfence();
    __syncthreads();
    if (t == 0) last = atomicAdd(&b[1000], 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
#ifdef MENDED
        __threadfence();
#endif
        b[2000 + t] = b[t] + b[64 + t] + b[128 + t] + b[192 + t];   // <-
    }
}
