// A switch with a barrier in one of its cases.
// launch: 1 x 64
// expect: barrier
extern "C" __global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x;
    switch (a[t] & 3) {
        case 0: b[t] = 1; break;
        case 1: b[t] = 2; __syncthreads(); break;
        default: b[t] = 3;
    }
}
