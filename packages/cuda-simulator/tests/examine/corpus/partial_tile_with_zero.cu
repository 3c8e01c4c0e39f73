// Threads at the edge put zeros into their element of a tile, and all use it.
// launch: 1 x 16 16
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[16][16];
    int x = threadIdx.x, y = threadIdx.y, sum = 0;
    s[y][x] = x < 13 ? a[y * 16 + x] : 0;
    __syncthreads();
    for (int i = 0; i < 16; i++) sum += s[y][i];
    b[y * 16 + x] = sum;
}
