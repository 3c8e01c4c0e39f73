// An update under a lock, without fences between the lock and the data.
// source: https://github.com/kokkos/kokkos/issues/3038
// launch: 4 x 32
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&b[0], 0, 1)) ;
#ifdef MENDED
        __threadfence();
#endif
        b[1] += a[blockIdx.x];              // <-
        b[2] -= a[blockIdx.x];              // <-
#ifdef MENDED
        __threadfence();
#endif
        atomicExch(&b[0], 0);
    }
}
