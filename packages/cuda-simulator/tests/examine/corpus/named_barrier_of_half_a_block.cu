// Each half of a block has a barrier of its own.
// launch: 1 x 128
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[128];
    int t = threadIdx.x, half = t / 64;
    s[t] = a[t];
    asm volatile("bar.sync %0, 64;" :: "r"(1 + half) : "memory");
    b[t] = s[half * 64 + 63 - t % 64];
}
