// malloc in a kernel gives memory that nobody has written.
// launch: 1 x 32
// expect: uninitialised
extern "C" __global__ void k(int *a, int *b, int n) {
    int *own = (int *)malloc(64);
    own[0] = a[threadIdx.x];
    b[threadIdx.x] = own[a[threadIdx.x] % 2 + 4];
    free(own);
}
