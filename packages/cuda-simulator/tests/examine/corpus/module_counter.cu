// A __device__ variable that all blocks count up without an atomic.
// launch: 4 x 64
// expect: race
__device__ int counter;
extern "C" __global__ void k(int *a, int *b, int n) {
    if (threadIdx.x == 0) counter = counter + a[1];
    b[blockIdx.x * 64 + threadIdx.x] = 1;
}
