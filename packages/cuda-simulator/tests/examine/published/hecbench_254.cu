// One thread writes two sums to shared memory, and all read them at once.
// source: https://github.com/ORNL/HeCBench/issues/254
// launch: 1 x 128
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int vertices, triangles;
    int t = threadIdx.x;
    if (t == 0) {
        vertices = a[31];                   // <-
        triangles = a[63];                  // <-
    }
#ifdef MENDED
    __syncthreads();
#endif
    b[t] = vertices * t + triangles;        // <-
}
