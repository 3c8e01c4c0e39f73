// More threads than elements, and no guard.
// launch: 17 x 256
// expect: out-of-bounds
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = i;
}
