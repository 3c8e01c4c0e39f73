// Each half meets by itself, and then reads what the other half wrote.
// launch: 1 x 32
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncwarp(t < 16 ? 0x0000ffff : 0xffff0000);
    b[t] = s[t ^ 16];
}
