// __syncthreads_count, _and and _or are barriers too.
// launch: 1 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    int some = __syncthreads_count(a[t] > 20);
    int mine = s[63 - t];
    some += __syncthreads_or(mine);
    s[t] = mine;
    some += __syncthreads_and(mine);
    b[t] = s[t ^ 33] + some;
}
