// Each thread reads its left neighbour, if there is one.
// launch: 4 x 256
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = (i ? b[i - 1] : 0) + b[i];
}
