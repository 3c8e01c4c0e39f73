// One thread reads plainly what others still add to.
// launch: 4 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    atomicAdd(&b[0], a[threadIdx.x]);
    if (threadIdx.x == 0)
        b[1 + blockIdx.x] = b[0];
}
