// Threads of a block exchange values through global memory, with a barrier.
// launch: 2 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    int first = blockIdx.x * 64, t = threadIdx.x;
    b[first + t] = a[first + t];
    __syncthreads();
    a[2048 + first + t] = b[first + 63 - t];
}
