// Atomics of every kind on one word.
// launch: 4 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    int old = atomicAdd(&b[0], a[threadIdx.x]);
    atomicMax(&b[1], old);
    atomicExch(&b[2], old);
    b[64 + blockIdx.x * 64 + threadIdx.x] = atomicAdd(&b[0], 0);
}
