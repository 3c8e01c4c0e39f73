// A barrier before reading, and none at the end of the turn.
// launch: 2 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < 4; i++) {
        s[t] = a[i * 64 + t];
        __syncthreads();
        for (int j = 0; j < 64; j++) sum += s[j];
    }
    b[blockIdx.x * 64 + t] = sum;
}
