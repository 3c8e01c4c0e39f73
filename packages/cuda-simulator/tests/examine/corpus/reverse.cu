// Each thread reads what another thread of the block wrote, with a barrier between.
// launch: 1 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = s[63 - threadIdx.x];
}
