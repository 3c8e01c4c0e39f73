// Counting with atomicAdd, in shared and then in global memory.
// launch: 4 x 128
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int bins[8];
    int t = threadIdx.x;
    if (t < 8) bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[a[blockIdx.x * 128 + t] % 8], 1);
    __syncthreads();
    if (t < 8) atomicAdd(&b[t], bins[t]);
}
