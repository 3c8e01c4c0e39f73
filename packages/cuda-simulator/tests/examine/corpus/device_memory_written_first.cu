// The kernel writes all that it reads.
// launch: 2 x 64
// expect: clean
// with: b unwritten
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    b[i] = a[i];
    b[i] += 1;
}
