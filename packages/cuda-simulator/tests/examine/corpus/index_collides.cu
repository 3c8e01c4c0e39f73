// An index that is wrong by its blocks: both blocks write the same elements.
// launch: 2 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    b[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
}
