// A transposing copy fills its tile anew while other warps still read the last one.
// source: https://github.com/ggml-org/llama.cpp/pull/20507
// launch: 1 x 16 16
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int tile[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    for (int z = 0; z < 4; z++) {
        tile[y][x] = a[z * 256 + y * 16 + x];   // <-
        __syncthreads();
        b[z * 256 + y * 16 + x] = tile[x][y];   // <-
#ifdef MENDED
        __syncthreads();
#endif
    }
}
