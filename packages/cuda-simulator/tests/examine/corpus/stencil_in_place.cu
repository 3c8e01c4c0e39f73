// Blocks read each other's edge while it is written: in place, across blocks.
// launch: 4 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    int sum = a[i] + a[i + 1];
    __syncthreads();
    a[i] = sum;
}
