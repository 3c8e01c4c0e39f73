// Neighbours write different bytes of one word.
// launch: 1 x 128
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ unsigned char s[128];
    s[threadIdx.x] = a[threadIdx.x];
    ((unsigned char *)b)[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[64 + threadIdx.x] = s[127 - threadIdx.x];
}
