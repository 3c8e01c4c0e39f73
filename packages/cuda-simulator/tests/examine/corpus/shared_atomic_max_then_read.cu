// A maximum by atomics in shared memory, read after the barrier.
// launch: 1 x 96
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int most;
    if (threadIdx.x == 0) most = -1;
    __syncthreads();
    atomicMax(&most, a[threadIdx.x]);
    __syncthreads();
    b[threadIdx.x] = most;
    __syncthreads();
    if (threadIdx.x == 0) most = 0;
}
