// A cuda::barrier is used by threads that nothing told of its beginning.
// launch: 1 x 64
// expect: race
#include <cuda/barrier>
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    int t = threadIdx.x;
    if (t == 0) init(&full, 64);
    (void)full.arrive();
    b[t] = t;
}
