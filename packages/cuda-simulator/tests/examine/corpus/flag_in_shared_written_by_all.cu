// A flag that every thread may set to one, cleared by the first without a barrier before.
// launch: 1 x 128
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int changed;
    int t = threadIdx.x;
    if (t == 0) changed = 0;
    if (a[t] > 100) changed = 1;
    __syncthreads();
    b[t] = changed;
}
