// All threads write and make a fence, then meet; one of them counts the block.
// launch: 8 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int last;
    int t = threadIdx.x;
    b[64 + blockIdx.x * 64 + t] = a[t];
    __threadfence();
    __syncthreads();
    if (t == 0)
        last = atomicInc((unsigned *)b, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last)
        for (int block = 0; block < 8; block++)
            a[1024 + block * 64 + t] = b[64 + block * 64 + 63 - t];
}
