// The same with ++ in place of the atomic.
// launch: 4 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (a[i] % 3 == 0) {
        int place = b[0];
        b[0] = place + 1;
        a[1024 + place] = a[i];
    }
}
