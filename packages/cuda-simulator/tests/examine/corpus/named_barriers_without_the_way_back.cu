// The producers do not wait until the consumers have read.
// launch: 1 x 128
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    for (int i = 0; i < 4; i++)
        if (t < 64) {
            s[t] = a[i * 64 + t];
            asm volatile("bar.sync 1, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            b[i * 64 + t] = s[127 - t];
        }
}
