// A tile is used before all of it has been loaded.
// launch: 1 x 16 16
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[16][16];
    int sum = 0, x = threadIdx.x, y = threadIdx.y;
    for (int tile = 0; tile < 4; tile++) {
        s[y][x] = a[tile * 256 + y * 16 + x];
        for (int i = 0; i < 16; i++)
            sum += s[y][i] * s[i][x];
        __syncthreads();
    }
    b[y * 16 + x] = sum;
}
