// A tiled product without a barrier before the tiles are filled again.
// source: https://github.com/srush/GPU-Puzzles/issues/14
// launch: 1 x 16 16
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int p[16][16], q[16][16];
    int x = threadIdx.x, y = threadIdx.y, sum = 0;
    for (int tile = 0; tile < 32; tile += 16) {
        p[y][x] = a[y * 32 + tile + x];     // <-
        q[y][x] = a[(tile + y) * 16 + x];   // <-
        __syncthreads();
        for (int j = 0; j < 16; j++)
            sum += p[y][j] * q[j][x];       // <-
#ifdef MENDED
        __syncthreads();
#endif
    }
    b[y * 16 + x] = sum;
}
