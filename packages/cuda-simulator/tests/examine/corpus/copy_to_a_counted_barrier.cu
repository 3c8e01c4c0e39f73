// A block copies a row asynchronously, and waits for it at a cuda::barrier.
// launch: 1 x 64
// expect: clean
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
    full.arrive_and_wait();
    b[t] = s[63 - t];
}
