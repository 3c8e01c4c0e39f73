// Each thread takes a place in a queue with an atomic, and writes there.
// launch: 4 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (a[i] % 3 == 0)
        b[1 + atomicAdd(&b[0], 1)] = a[i];
}
