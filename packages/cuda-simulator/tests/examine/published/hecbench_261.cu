// Shortest paths within a tile: a step reads a row and a column that the same step writes.
// source: https://github.com/ORNL/HeCBench/issues/261
// launch: 1 x 16 16
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int tile[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = a[y * 16 + x];
    __syncthreads();
    for (int j = 0; j < 16; j++) {
        int way = tile[y][j] + tile[j][x];  // <-
#ifdef MENDED
        __syncthreads();
#endif
        tile[y][x] = min(tile[y][x], way);  // <-
        __syncthreads();
    }
    b[y * 16 + x] = tile[y][x];
}
