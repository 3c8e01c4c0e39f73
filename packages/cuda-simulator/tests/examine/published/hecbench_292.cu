// An entry is written plainly and linked into a list by atomicCAS, with no fence between; another block follows the link.
// source: https://github.com/ORNL/HeCBench/pull/292
// launch: 2 x 32
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    if (threadIdx.x > 0) return;
    if (blockIdx.x == 0) {
        b[10] = a[5];                       // <-
#ifdef MENDED
        __threadfence();
#endif
        atomicCAS(&b[0], 0, 10);
    } else {
        int entry;
        while ((entry = atomicAdd(&b[0], 0)) == 0) ;
#ifdef MENDED
        __threadfence();
#endif
        b[20] = b[entry];                   // <-
    }
}
