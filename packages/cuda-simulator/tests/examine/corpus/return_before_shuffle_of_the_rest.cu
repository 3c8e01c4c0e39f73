// Threads past the end return; the others shuffle among themselves with the mask that a ballot gave.
// launch: 1 x 32
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x;
    unsigned there = __ballot_sync(0xffffffff, t < 20);
    if (t >= 20) return;
    int left = __shfl_up_sync(there, a[t], 1);
    b[t] = left;
}
