// All have read before anybody writes.
// launch: 1 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    int mine = a[63 - threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = mine;
}
