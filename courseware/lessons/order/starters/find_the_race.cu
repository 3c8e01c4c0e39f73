__global__ void reverse(int *x) {   // reverses each block's 64 numbers. Change about six lines in all.
    __shared__ int s[64];
    int *mine = x + 64 * blockIdx.x, i = threadIdx.x;
    s[i] = mine[i];
    mine[i] = s[63 - i];
}
__global__ void total(const int *x, int *sum) {     // all threads of all blocks add their number
    *sum += x[blockIdx.x * blockDim.x + threadIdx.x];
}
__global__ void smooth(int *x) {            // one block: each number becomes the mean of three
    int i = threadIdx.x;
    if (i > 0 && i < blockDim.x - 1) x[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}
