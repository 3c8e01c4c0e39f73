// Each block waits for its predecessor's sum, and hands its own on: a chain of flags.
// launch: 8 x 32
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    if (threadIdx.x == 0) {
        int sum = 0;
        if (blockIdx.x > 0) {
            while (atomicAdd(&b[blockIdx.x - 1], 0) == 0);
            __threadfence();
            sum = b[64 + blockIdx.x - 1];
        }
        b[64 + blockIdx.x] = sum + a[blockIdx.x];
        __threadfence();
        atomicExch(&b[blockIdx.x], 1);
    }
}
