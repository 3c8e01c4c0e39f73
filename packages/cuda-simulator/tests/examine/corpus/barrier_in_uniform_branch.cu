// All threads of a block take the branch, or none.
// launch: 2 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (blockIdx.x == 1) {
        s[t] = a[t];
        __syncthreads();
        b[t] = s[63 - t];
    }
}
