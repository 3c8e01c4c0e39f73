__global__ void transpose(const float *x, float *y, int n) {
    __shared__ float tile[32][33];
    int left = 32 * blockIdx.x, top = 32 * blockIdx.y, column = threadIdx.x, row = threadIdx.y;
    tile[row][column] = x[(top + row) * n + left + column];
    __syncthreads();
    y[(left + row) * n + top + column] = tile[column][row];
}
