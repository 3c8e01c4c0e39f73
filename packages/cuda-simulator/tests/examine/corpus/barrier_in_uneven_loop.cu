// A loop with a barrier that threads leave at different turns.
// launch: 1 x 64
// expect: barrier
extern "C" __global__ void k(int *a, int *b, int n) {
    int sum = 0;
    for (int i = 0; i < 2 + threadIdx.x / 32; i++) {
        sum += a[i];
        __syncthreads();
    }
    b[threadIdx.x] = sum;
}
