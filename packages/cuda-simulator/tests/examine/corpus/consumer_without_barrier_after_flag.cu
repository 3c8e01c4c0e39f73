// One thread sees the flag, the others of its block do not wait for it.
// launch: 2 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        b[64 + t] = a[t];
        __syncthreads();
        if (t == 0) { __threadfence(); atomicExch(&b[0], 1); }
    } else {
        if (t == 0) while (atomicAdd(&b[0], 0) == 0);
        b[128 + t] = b[64 + 63 - t];
    }
}
