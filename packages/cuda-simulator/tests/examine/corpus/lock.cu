// A lock by atomicCAS and atomicExch, with fences.
// launch: 8 x 32
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&b[0], 0, 1) != 0);
        __threadfence();
        b[1] += a[blockIdx.x];
        __threadfence();
        atomicExch(&b[0], 0);
    }
}
