// Double-checked locking: the pointer to a new piece may be seen before what was written into the piece.
// source: https://github.com/taichi-dev/taichi/pull/2273
// launch: 4 x 32
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    volatile int *place = b;
    if (threadIdx.x > 0) return;
    if (*place == 0) {
        while (atomicCAS(&b[1], 0, 1)) ;
        if (*place == 0) {
            b[10] = a[7];                   // <-
#ifdef MENDED
            __threadfence();
#endif
            *place = 10;
        }
        atomicExch(&b[1], 0);
    }
#ifdef MENDED
    __threadfence();
#endif
    b[100 + blockIdx.x] = b[*place];        // <-
}
