__global__ void reverse(int *x) {
    __shared__ int s[64];
    int *mine = x + 64 * blockIdx.x, i = threadIdx.x;
    s[i] = mine[i];
    __syncthreads();
    mine[i] = s[63 - i];
}

__global__ void total(const int *x, int *sum) {
    atomicAdd(sum, x[blockIdx.x * blockDim.x + threadIdx.x]);
}

__global__ void smooth(int *x) {
    int i = threadIdx.x, inside = i > 0 && i < blockDim.x - 1, mean = 0;
    if (inside) mean = (x[i - 1] + x[i] + x[i + 1]) / 3;
    __syncthreads();
    if (inside) x[i] = mean;
}
