// A barrier of all blocks, made of a counter and a volatile flag, without fences.
// launch: 4 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    b[64 + i] = a[i] + 1;
    __syncthreads();
    if (t == 0) {
        atomicAdd(&b[0], 1);
        while (*(volatile int *)&b[0] < (int)gridDim.x);
    }
    __syncthreads();
    b[1024 + i] = b[64 + (i + 64) % 256];
}
