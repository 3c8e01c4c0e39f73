// A block copies a row asynchronously, and comes to a cuda::barrier, but does not wait there before it reads.
// launch: 1 x 64
// expect: race
#include <cooperative_groups.h>
#include <cuda/barrier>
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    __shared__ alignas(16) int s[64];
    int t = threadIdx.x;
    auto block = cooperative_groups::this_thread_block();
    if (t == 0) init(&full, 64);
    block.sync();
    cuda::memcpy_async(block, s, a, cuda::aligned_size_t<16>(sizeof(s)), full);
    auto token = full.arrive();
    b[t] = s[63 - t];
    full.wait(std::move(token));
}
