// All threads read all of an array, and write one element each.
// launch: 1 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    int sum = 0;
    for (int i = 0; i < 64; i++) sum += a[i];
    b[threadIdx.x] = sum;
}
