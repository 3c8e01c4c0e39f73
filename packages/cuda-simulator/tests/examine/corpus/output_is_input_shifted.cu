// A thread writes the element that the next one reads.
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    if (threadIdx.x > 0) a[threadIdx.x - 1] = a[threadIdx.x] + 1;
}
