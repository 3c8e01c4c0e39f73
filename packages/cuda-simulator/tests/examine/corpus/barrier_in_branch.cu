// Half of the threads come to a barrier, the others end.
// launch: 1 x 64
// expect: barrier
extern "C" __global__ void k(int *a, int *b, int n) {
    if (threadIdx.x < 32) {
        b[threadIdx.x] = a[threadIdx.x];
        __syncthreads();
        b[threadIdx.x] += 1;
    }
}
