// A lock in shared memory that one thread of each warp takes, with fences for the block.
// launch: 1 x 128
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int lock, sum;
    int t = threadIdx.x;
    if (t == 0) { lock = 0; sum = 0; }
    __syncthreads();
    if (t % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0);
        __threadfence_block();
        sum += a[t];
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    b[t] = sum;
}
