// Only the even elements are set before all are read.
// launch: 1 x 64
// expect: uninitialised
// with: b unwritten
extern "C" __global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x;
    if (t % 2 == 0) b[t] = a[t];
    __syncthreads();
    a[t] = b[t];
}
