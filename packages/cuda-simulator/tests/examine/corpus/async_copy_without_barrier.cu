// Each thread waits for its own copy, and reads another's.
// launch: 1 x 64
// expect: race
#include <cuda_pipeline.h>
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &a[t], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    b[t] = s[63 - t];
}
