// A scan up and down a tree, where the way down begins before the way up has ended for all.
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[128];
    int t = threadIdx.x, offset = 1;
    s[2 * t] = a[2 * t]; s[2 * t + 1] = a[2 * t + 1];
    for (int d = 64; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 63) s[127] = 0;
    for (int d = 1; d < 128; d *= 2) {
        offset /= 2;
        if (d > 1) __syncthreads();
        if (t < d) {
            int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1, x = s[i];
            s[i] = s[j];
            s[j] += x;
        }
    }
    __syncthreads();
    b[2 * t] = s[2 * t]; b[2 * t + 1] = s[2 * t + 1];
}
