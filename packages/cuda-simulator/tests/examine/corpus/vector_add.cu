// Every thread has elements of its own.
// launch: 16 x 256
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i] + 1;
}
