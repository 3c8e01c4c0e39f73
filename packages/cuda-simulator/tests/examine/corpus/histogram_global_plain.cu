// Counting with ++ in global memory.
// launch: 4 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    b[a[blockIdx.x * 64 + threadIdx.x] % 16]++;
}
