// A volatile flag in shared memory between two warps, with fences for the block.
// launch: 1 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int data[32];
    __shared__ volatile int flag;
    int t = threadIdx.x;
    if (t == 0) flag = 0;
    __syncthreads();
    if (t < 32) {
        data[t] = a[t];
        __threadfence_block();
        __syncwarp();
        if (t == 0) flag = 1;
    } else {
        while (flag == 0);
        __threadfence_block();
        b[t] = data[63 - t];
    }
}
