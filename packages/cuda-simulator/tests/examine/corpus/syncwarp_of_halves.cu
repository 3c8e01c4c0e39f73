// Each half of a warp meets by a mask of its own.
// launch: 1 x 32
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncwarp(t < 16 ? 0x0000ffff : 0xffff0000);
    b[t] = s[t ^ 8];
}
