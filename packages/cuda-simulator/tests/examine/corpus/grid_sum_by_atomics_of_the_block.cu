// atomicAdd_block is atomic within its block only, and other blocks add to the same word.
// launch: 4 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    atomicAdd_block(&b[0], a[threadIdx.x]);
}
