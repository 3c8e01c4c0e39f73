// One thread sets what all the others use behind a barrier.
// launch: 2 x 96
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int scale;
    if (threadIdx.x == 0) scale = a[9];
    __syncthreads();
    b[blockIdx.x * 96 + threadIdx.x] = a[threadIdx.x] * scale;
}
