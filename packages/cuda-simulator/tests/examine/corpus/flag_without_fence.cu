// The flag may be seen before the data.
// launch: 2 x 32
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    volatile int *flag = b;
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            b[1] = a[7];
            *flag = 1;
        } else {
            while (*flag == 0);
            b[2] = b[1];
        }
    }
}
