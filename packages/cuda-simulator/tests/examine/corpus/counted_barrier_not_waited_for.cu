// A thread comes to a cuda::barrier and does not wait there before it reads what another one wrote.
// launch: 1 x 64
// expect: race
#include <cuda/barrier>
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t == 0) init(&full, 64);
    __syncthreads();
    s[t] = a[t];
    auto token = full.arrive();
    b[t] = s[63 - t];
    full.wait(std::move(token));
}
