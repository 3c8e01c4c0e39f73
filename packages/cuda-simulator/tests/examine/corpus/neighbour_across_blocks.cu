// Each block writes one element too many: the first of the next block.
// launch: 4 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    b[i] = a[i];
    if (threadIdx.x == 63)
        b[i + 1] = 0;
}
