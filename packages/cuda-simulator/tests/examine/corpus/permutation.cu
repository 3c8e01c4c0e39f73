// Threads follow indices that are all different.
// launch: 2 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    b[(i * 7) % 128] = i;
}
