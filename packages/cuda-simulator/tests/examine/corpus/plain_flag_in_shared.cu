// A flag in shared memory that is neither volatile nor atomic.
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int flag, data;
    int t = threadIdx.x;
    if (t == 0) flag = 0;
    __syncthreads();
    if (t == 32) { data = a[7]; flag = 1; }
    if (t == 0) b[0] = flag ? 1 : 2;
}
