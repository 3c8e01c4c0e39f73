// The lock is taken by other blocks, and the fence is for the own block only.
// launch: 8 x 32
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&b[0], 0, 1) != 0);
        __threadfence_block();
        b[1] += a[blockIdx.x];
        __threadfence_block();
        atomicExch(&b[0], 0);
    }
}
