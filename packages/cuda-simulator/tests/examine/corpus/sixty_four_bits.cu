// Words of 64 bits, and an atomic on them.
// launch: 2 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    unsigned long long *wide = (unsigned long long *)b;
    atomicAdd(&wide[0], 5ull);
    wide[1 + blockIdx.x * 64 + threadIdx.x] = a[threadIdx.x];
}
