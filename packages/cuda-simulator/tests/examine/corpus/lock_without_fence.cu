// A lock by atomicCAS and atomicExch; the data may be written after the lock is free.
// launch: 8 x 32
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&b[0], 0, 1) != 0);
        b[1] += a[blockIdx.x];
        atomicExch(&b[0], 0);
    }
}
