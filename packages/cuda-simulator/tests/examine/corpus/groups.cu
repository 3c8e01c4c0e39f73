// Cooperative groups: the block's barrier and a tile's.
// launch: 2 x 64
// expect: clean
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int t = threadIdx.x, first = t - tile.thread_rank();
    s[t] = a[t];
    tile.sync();
    int other = s[first + 7 - tile.thread_rank()];
    block.sync();
    s[t] = other + tile.shfl_down(other, 1);
    block.sync();
    b[blockIdx.x * 64 + t] = s[63 - t];
}
