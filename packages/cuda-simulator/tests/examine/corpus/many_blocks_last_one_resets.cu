// A counter that the last block sets back for the next launch.
// launch: 64 x 32
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    if (threadIdx.x == 0) {
        b[16 + blockIdx.x] = a[blockIdx.x];
        __threadfence();
        if (atomicAdd(&b[0], 1) == gridDim.x - 1) {
            int sum = 0;
            for (int i = 0; i < gridDim.x; i++) sum += b[16 + i];
            b[1] = sum;
            b[0] = 0;
        }
    }
}
