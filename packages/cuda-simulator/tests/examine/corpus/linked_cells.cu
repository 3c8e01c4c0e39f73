// Threads follow indices: two of them lead to the same element.
// launch: 2 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    b[(i * 7) % 120] = i;
}
