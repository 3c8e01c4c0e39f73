// Each call has local variables of its own.
// launch: 1 x 32
// expect: clean
__device__ __noinline__ int depth(int n, int *seen) {
    int own[4];
    for (int i = 0; i < 4; i++) own[(n + i) & 3] = seen[i] + i;
    return n == 0 ? own[seen[1] & 3] : depth(n - 1, own) + own[n & 3];
}
extern "C" __global__ void k(int *a, int *b, int n) {
    int own[4] = {a[0], a[1], a[2], a[3]};
    b[threadIdx.x] = depth(threadIdx.x & 7, own);
}
