// A bitonic sort in shared memory.
// launch: 2 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = (a[t] * 37) % 64;
    for (int size = 2; size <= 64; size *= 2)
        for (int d = size / 2; d > 0; d /= 2) {
            __syncthreads();
            int other = t ^ d;
            if (other > t && (s[t] > s[other]) == ((t & size) == 0)) { int x = s[t]; s[t] = s[other]; s[other] = x; }
        }
    __syncthreads();
    b[blockIdx.x * 64 + t] = s[t];
}
