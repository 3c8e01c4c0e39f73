__global__ void reverse(int *x, int n) {
    extern __shared__ int s[];
    int first = blockIdx.x * blockDim.x, count = min((int)blockDim.x, n - first), i = threadIdx.x;
    if (i < count) s[i] = x[first + i];
    __syncthreads();
    if (i < count) x[first + i] = s[count - 1 - i];
}
