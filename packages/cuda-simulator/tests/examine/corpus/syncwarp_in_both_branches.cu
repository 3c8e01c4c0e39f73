// The halves of a warp wait for each other with a __syncwarp() in each branch.
// launch: 1 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t % 32 < 16) {
        s[t] = a[t];
        __syncwarp();
        b[t] = s[t ^ 16];
    } else {
        s[t] = 2 * a[t];
        __syncwarp();
        b[t] = s[t ^ 16] + 1;
    }
}
