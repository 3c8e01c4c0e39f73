// Two asynchronous copies are under way in turn, and one of them is used too early.
// launch: 1 x 64
// expect: race
#include <cuda_pipeline.h>
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&s[0][t], &a[t], sizeof(int));
    __pipeline_commit();
    for (int i = 1; i <= 8; i++) {
        if (i < 8) __pipeline_memcpy_async(&s[i % 2][t], &a[i * 64 + t], sizeof(int));
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        sum += s[(i - 1) % 2][63 - t];
        __syncthreads();
    }
    b[t] = sum;
}
