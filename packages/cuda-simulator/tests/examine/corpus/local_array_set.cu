// A local array whose every element is set.
// launch: 2 x 32
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    int own[8];
    for (int i = 0; i < 8; i++) own[(a[i] + threadIdx.x) & 7] = i;
    b[blockIdx.x * 32 + threadIdx.x] = own[a[threadIdx.x] & 7];
}
