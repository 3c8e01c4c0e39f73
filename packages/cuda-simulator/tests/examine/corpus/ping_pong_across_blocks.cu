// Steps from one array to the other and back, by several blocks: __syncthreads() does not wait for other blocks.
// launch: 4 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    for (int step = 0; step < 4; step++) {
        int *from = step % 2 ? b : a, *to = step % 2 ? a : b;
        to[i] = from[i] + from[(i + 1) % 256];
        __syncthreads();
    }
}
