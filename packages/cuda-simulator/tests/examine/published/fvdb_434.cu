// The gradients of several cameras are added to one array, a block for each camera, without an atomic.
// source: https://github.com/openvdb/fvdb-core/pull/434
// launch: 3 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x, gradient = a[blockIdx.x * 64 + t];
#ifdef MENDED
    atomicAdd(&b[t], gradient);
#else
    b[t] += gradient;                       // <-
#endif
}
