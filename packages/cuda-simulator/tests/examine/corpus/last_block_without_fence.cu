// Each block writes its sum and counts itself without a fence: the count may be seen before the sum.
// launch: 8 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int sum, last;
    int t = threadIdx.x;
    if (t == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, a[blockIdx.x * 64 + t]);
    __syncthreads();
    if (t == 0) {
        b[1 + blockIdx.x] = sum;
        last = atomicAdd(&b[0], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t < 8)
        b[20 + t] = b[1 + t];
}
