// Two blocks guard one sum with different locks.
// launch: 4 x 32
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    if (threadIdx.x == 0) {
        int *lock = &b[blockIdx.x % 2];
        while (atomicCAS(lock, 0, 1) != 0);
        __threadfence();
        b[16] += a[blockIdx.x];
        __threadfence();
        atomicExch(lock, 0);
    }
}
