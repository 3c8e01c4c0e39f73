// Each thread reads its left neighbour, the first one too.
// launch: 4 x 256
// expect: out-of-bounds
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = b[i - 1] + b[i];
}
