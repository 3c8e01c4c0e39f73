// A sum is added to memory that nobody has set to zero.
// launch: 1 x 64
// expect: uninitialised
// with: b unwritten
extern "C" __global__ void k(int *a, int *b, int n) {
    b[threadIdx.x] += a[threadIdx.x];
}
