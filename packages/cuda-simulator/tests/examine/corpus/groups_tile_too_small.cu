// A tile meets, and then reads what another tile wrote.
// launch: 1 x 64
// expect: race
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    s[threadIdx.x] = a[threadIdx.x];
    tile.sync();
    b[threadIdx.x] = s[threadIdx.x ^ 8];
}
