// Each block writes its sum, makes a fence and counts itself; the last one adds all sums.
// launch: 8 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int sum, last;
    int t = threadIdx.x;
    if (t == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, a[blockIdx.x * 64 + t]);
    __syncthreads();
    if (t == 0) {
        b[1 + blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(&b[0], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t < 8)
        b[20 + t] = b[1 + t];
}
