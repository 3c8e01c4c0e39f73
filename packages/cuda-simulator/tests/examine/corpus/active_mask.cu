// The threads that are here meet, by the mask of the active ones.
// launch: 1 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = 0;
    __syncwarp();
    if (t % 2) {
        unsigned here = __activemask();
        s[t] = a[t];
        __syncwarp(here);
        b[t] = s[t ^ 2];
    }
}
