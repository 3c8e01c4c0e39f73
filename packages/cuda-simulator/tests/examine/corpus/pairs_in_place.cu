// Each thread exchanges a pair that no other thread touches.
// launch: 1 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x, x = a[2 * t];
    a[2 * t] = a[2 * t + 1];
    a[2 * t + 1] = x;
}
