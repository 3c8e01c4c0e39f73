// Cooperative groups: the threads that are active form a group and meet.
// launch: 1 x 64
// expect: clean
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    if (t % 3 == 0) {
        cg::coalesced_group active = cg::coalesced_threads();
        s[t] = a[t];
        active.sync();
        b[t] = s[(t + 3) / 32 == t / 32 && t + 3 < 64 ? t + 3 : t] + active.shfl(a[t], 0);
    }
}
