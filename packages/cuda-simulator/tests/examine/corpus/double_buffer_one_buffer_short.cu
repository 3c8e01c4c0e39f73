// The loop writes the buffer that it reads.
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    s[0][t] = a[t];
    for (int i = 1; i < 8; i++) {
        __syncthreads();
        s[(i + 1) % 2][t] = a[i * 64 + t];
        sum += s[(i - 1) % 2][63 - t];
    }
    b[t] = sum;
}
