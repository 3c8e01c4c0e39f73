// A function with an array of its own, called in a loop.
// launch: 2 x 64
// expect: clean
__device__ __noinline__ int twist(int x, int n) {
    int own[4];
    own[x & 3] = x; own[(x + 1) & 3] = n; own[(x + 2) & 3] = 1; own[(x + 3) & 3] = 2;
    return own[n & 3];
}
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x, sum = 0;
    for (int j = 0; j < 3; j++) sum += twist(a[i] + j, j);
    b[i] = sum;
}
