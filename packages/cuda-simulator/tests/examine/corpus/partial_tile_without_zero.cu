// Threads at the edge do not load their element of a tile, and all use it.
// launch: 1 x 16 16
// expect: uninitialised
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[16][16];
    int x = threadIdx.x, y = threadIdx.y, sum = 0;
    if (x < 13) s[y][x] = a[y * 16 + x];
    __syncthreads();
    for (int i = 0; i < 16; i++) sum += s[y][i];
    b[y * 16 + x] = sum;
}
