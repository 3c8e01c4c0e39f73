// Each thread sets a bit of one word with |=.
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ unsigned word;
    if (threadIdx.x == 0) word = 0;
    __syncthreads();
    word |= 1u << (threadIdx.x % 32);
    __syncthreads();
    b[threadIdx.x] = word;
}
