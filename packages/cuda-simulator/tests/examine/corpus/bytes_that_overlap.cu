// A thread writes a word of which others write bytes.
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    ((unsigned char *)b)[threadIdx.x] = a[threadIdx.x];
    if (threadIdx.x == 40)
        b[2] = 0;
}
