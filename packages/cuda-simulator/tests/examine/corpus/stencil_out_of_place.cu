// From one array to another.
// launch: 4 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    b[i] = a[i] + a[i + 1];
}
