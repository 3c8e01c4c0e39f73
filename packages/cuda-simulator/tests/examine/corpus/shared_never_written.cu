// Nobody has written the upper half of the array.
// launch: 1 x 64
// expect: uninitialised
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[128];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = s[64 + threadIdx.x];
}
