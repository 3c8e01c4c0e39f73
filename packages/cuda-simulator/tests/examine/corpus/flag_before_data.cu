// The fence is there, but the flag is set before the data.
// launch: 2 x 32
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    volatile int *flag = b;
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            *flag = 1;
            __threadfence();
            b[1] = a[7];
        } else {
            while (*flag == 0);
            __threadfence();
            b[2] = b[1];
        }
    }
}
