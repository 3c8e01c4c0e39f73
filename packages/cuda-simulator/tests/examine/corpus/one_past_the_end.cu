// The guard lets one thread too many through: <= for <.
// launch: 17 x 256
// expect: out-of-bounds
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= 4096) b[i] = 2 * i;
}
