// The sum is read again after the lock is free.
// launch: 8 x 32
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&b[0], 0, 1) != 0);
        __threadfence();
        b[1] += a[blockIdx.x];
        __threadfence();
        atomicExch(&b[0], 0);
        b[2 + blockIdx.x] = b[1];
    }
}
