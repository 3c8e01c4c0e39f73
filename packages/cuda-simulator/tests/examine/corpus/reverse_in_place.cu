// In global memory: one thread writes the element that another still has to read.
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    a[threadIdx.x] = a[63 - threadIdx.x];
}
