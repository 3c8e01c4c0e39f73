// libcu++ with relaxed order: nothing comes with the flag.
// launch: 2 x 32
// expect: race
#include <cuda/atomic>
extern "C" __global__ void k(int *a, int *b, int n) {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(b[0]);
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            b[1] = a[7];
            flag.store(1, cuda::memory_order_relaxed);
        } else {
            while (flag.load(cuda::memory_order_relaxed) == 0);
            b[2] = b[1];
        }
    }
}
