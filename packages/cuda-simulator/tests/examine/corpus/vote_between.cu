// A vote lies between writing and reading, and orders no memory.
// launch: 1 x 32
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = a[t];
    int all = __all_sync(0xffffffff, a[t] >= 0);
    b[t] = s[t ^ 1] + all;
}
