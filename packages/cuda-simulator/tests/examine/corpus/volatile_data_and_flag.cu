// Data and flag are both volatile: they may be seen in another order, and are no race.
// launch: 2 x 32
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    volatile int *v = b;
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) { v[1] = a[7]; __threadfence(); v[0] = 1; }
        else { while (v[0] == 0); __threadfence(); v[2] = v[1]; }
    }
}
