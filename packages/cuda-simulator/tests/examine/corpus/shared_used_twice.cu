// An array is used for something else before all have read it.
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    int other = s[63 - t];
    s[t] = other * 2;
    __syncthreads();
    b[t] = s[t ^ 5];
}
