// All threads add 1 to one number in shared memory, without an atomic.
// source: https://github.com/numba/numba/issues/4907
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
#ifdef MENDED
    atomicAdd(&sum, 1);
#else
    sum += 1;                               // <-
#endif
    __syncthreads();
    if (threadIdx.x == 0) b[0] = sum;
}
