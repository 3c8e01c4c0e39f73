// A block hands data over by a volatile flag, with fences.
// launch: 2 x 32
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    volatile int *flag = b;
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            b[1] = a[7];
            __threadfence();
            *flag = 1;
        } else {
            while (*flag == 0);
            __threadfence();
            b[2] = b[1];
        }
    }
}
