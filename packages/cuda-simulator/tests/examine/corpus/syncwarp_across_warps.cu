// __syncwarp() where the partner is in another warp.
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncwarp();
    b[threadIdx.x] = s[threadIdx.x ^ 32];
}
