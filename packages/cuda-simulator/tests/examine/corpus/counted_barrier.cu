// A warp writes and comes to a cuda::barrier, another one waits for it and reads.
// launch: 1 x 64
// expect: clean
#include <cuda/barrier>
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t == 0) init(&full, 64);
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        if (t < 32) s[t] = a[t] + i;
        full.arrive_and_wait();
        if (t >= 32) b[t] += s[63 - t];
        full.arrive_and_wait();
    }
}
