// One thread sets a counter to zero while others count.
// launch: 4 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) b[0] = 0;
    atomicAdd(&b[0], 1);
}
