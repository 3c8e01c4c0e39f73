// Neighbours in a warp exchange values through shared memory, with __syncwarp() between.
// launch: 2 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncwarp();
    b[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 1];
}
