// Some threads copy a row into shared memory asynchronously, and nobody waits for the copy before the barrier; all read the row.
// source: https://github.com/NVIDIA/Fuser/pull/3438
// launch: 1 x 32 4
// expect: race
#include <cuda_pipeline.h>
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int row[32];
    int x = threadIdx.x, y = threadIdx.y;
    if (y == 0) {
        __pipeline_memcpy_async(&row[x], &a[x], sizeof(int));   // <-
        __pipeline_commit();
#ifdef MENDED
        __pipeline_wait_prior(0);
#endif
    }
    __syncthreads();
    b[y * 32 + x] = row[x] * (y + 1);                           // <-
}
