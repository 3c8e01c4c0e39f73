// All lanes of a warp fill a buffer, but only one lane arrives at the counted barrier behind which another warp reads it.
// source: https://github.com/NVIDIA/cudnn-frontend/pull/426
// launch: 1 x 64
// expect: race
#include <cuda/barrier>
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int buffer[32];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> filled;
    int t = threadIdx.x;
    if (t == 0) init(&filled, 33);
    __syncthreads();
    if (t < 32) {
        buffer[t] = a[t] * 5;               // <-
#ifdef MENDED
        (void)filled.arrive();
#else
        if (t == 0) (void)filled.arrive(32);
#endif
    } else {
        if (t == 32) filled.arrive_and_wait();
        __syncwarp();
        b[t] = buffer[63 - t];              // <-
    }
}
