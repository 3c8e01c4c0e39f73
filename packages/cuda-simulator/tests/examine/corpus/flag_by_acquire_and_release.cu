// libcu++: a store with release order, a load with acquire order.
// launch: 2 x 32
// expect: clean
#include <cuda/atomic>
extern "C" __global__ void k(int *a, int *b, int n) {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(b[0]);
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            b[1] = a[7];
            flag.store(1, cuda::memory_order_release);
        } else {
            while (flag.load(cuda::memory_order_acquire) == 0);
            b[2] = b[1];
        }
    }
}
