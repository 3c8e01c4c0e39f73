// Neighbours in a warp exchange values through shared memory as if the warp ran in step.
// launch: 1 x 32
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = a[threadIdx.x];
    b[threadIdx.x] = s[threadIdx.x ^ 1];
}
