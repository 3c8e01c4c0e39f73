__global__ void reverse(int *x, int n) {
    extern __shared__ int s[];      // blockDim.x ints
    ...         // about four lines
}
