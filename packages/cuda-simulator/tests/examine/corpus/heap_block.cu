// malloc in a kernel, written before it is read.
// launch: 1 x 32
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    int *own = (int *)malloc(64);
    for (int i = 0; i < 16; i++) own[i] = a[threadIdx.x] + i;
    b[threadIdx.x] = own[a[threadIdx.x] % 16];
    free(own);
}
