// A pass of a prefix sum reads what the same pass overwrites.
// source: https://github.com/modular/mojo-gpu-puzzles/issues/26
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int step = 1; step < 64; step *= 2) {
#ifdef MENDED
        int other = t >= step ? s[t - step] : 0;
        __syncthreads();
        s[t] += other;
#else
        if (t >= step) s[t] += s[t - step]; // <-
#endif
        __syncthreads();
    }
    b[t] = s[t];
}
