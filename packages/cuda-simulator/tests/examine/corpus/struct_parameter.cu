// A pointer in a structure, and two blocks that write the same elements.
// launch: 2 x 64
// expect: race
struct Array { int *data; int length; };
__device__ void set(Array array, int i, int value) { if (i < array.length) array.data[i] = value; }
extern "C" __global__ void k(int *a, int *b, int n) {
    Array array = {b, 4096};
    set(array, threadIdx.x, a[blockIdx.x * 64 + threadIdx.x]);
}
