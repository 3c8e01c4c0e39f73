// Neighbours write the two halves of one word.
// launch: 1 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ short s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = s[63 - threadIdx.x];
}
