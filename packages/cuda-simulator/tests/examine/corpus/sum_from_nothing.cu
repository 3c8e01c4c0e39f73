// A sum in shared memory that nobody has set to zero.
// launch: 1 x 64
// expect: uninitialised
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int sum;
    atomicAdd(&sum, a[threadIdx.x]);
    __syncthreads();
    b[threadIdx.x] = sum;
}
