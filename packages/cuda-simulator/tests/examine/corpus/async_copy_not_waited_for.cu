// Each thread reads its own element of an asynchronous copy that nobody waited for.
// launch: 1 x 64
// expect: race
#include <cuda_pipeline.h>
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &a[t], sizeof(int));
    __pipeline_commit();
    __syncthreads();
    b[t] = s[63 - t];
}
