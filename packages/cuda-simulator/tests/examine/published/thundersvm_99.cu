// Two arrays share dynamic memory, and the second begins before the first one ends.
// source: https://github.com/Xtra-Computing/thundersvm/issues/99
// launch: 1 x 64
// expect: race
// with: shared 512
extern "C" __global__ void k(int *a, int *b, int n) {
    extern __shared__ int memory[];
    int t = threadIdx.x;
#ifdef MENDED
    int *indices = memory, *values = memory + 64;
#else
    int *indices = memory, *values = memory + 8;
#endif
    values[t] = a[t] * 5 % 64;              // <-
    indices[t] = t;                         // <-
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half && values[indices[t + half]] < values[indices[t]])   // <-
            indices[t] = indices[t + half]; // <-
        __syncthreads();
    }
    if (t == 0) b[0] = indices[0];
}
