// The neighbours of a block's piece are read after a barrier.
// launch: 2 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[66];
    int t = threadIdx.x, i = blockIdx.x * 64 + t + 1;
    s[t + 1] = a[i];
    if (t == 0) { s[0] = a[i - 1]; s[65] = a[i + 64]; }
    __syncthreads();
    b[i] = s[t] + s[t + 1] + s[t + 2];
}
