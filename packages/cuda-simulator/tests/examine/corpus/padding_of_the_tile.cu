// The halo of a tile is read and was never loaded.
// launch: 1 x 16 16
// expect: uninitialised
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[18][18];
    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    s[y][x] = a[y * 16 + x];
    __syncthreads();
    b[y * 16 + x] = s[y - 1][x] + s[y + 1][x];
}
