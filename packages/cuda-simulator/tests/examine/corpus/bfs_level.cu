// Threads mark their neighbours with a plain store: two may mark the same one, with the same value.
// launch: 2 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (a[i] < 100) b[(i / 2) * 3] = 7;
}
