// A tile is written by rows and read by columns, with a barrier between.
// launch: 1 x 16 16
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = a[y * 16 + x];
    __syncthreads();
    b[y * 16 + x] = s[x][y];
}
