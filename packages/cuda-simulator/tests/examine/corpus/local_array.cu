// A local array of which only some elements are set.
// launch: 1 x 32
// expect: uninitialised
extern "C" __global__ void k(int *a, int *b, int n) {
    int own[8];
    for (int i = 0; i < 4; i++) own[(a[i] + n) & 7] = i;
    b[threadIdx.x] = own[(a[5] + n) & 7];
}
