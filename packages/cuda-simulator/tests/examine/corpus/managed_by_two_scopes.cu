// Sums with atomics of the block in shared memory, and of the device in global memory.
// launch: 4 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd_block(&sum, a[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&b[0], sum);
}
