// One thread sets what all the others use at once.
// launch: 2 x 96
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int scale;
    if (threadIdx.x == 0) scale = a[9];
    b[blockIdx.x * 96 + threadIdx.x] = a[threadIdx.x] * scale;
}
