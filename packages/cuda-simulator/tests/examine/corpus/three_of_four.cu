// Three of a vector's four elements are set, and all four are copied.
// launch: 1 x 64
// expect: clean
struct alignas(16) Point { float x, y, z; };
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ Point s[64];
    int t = threadIdx.x;
    s[t].x = t; s[t].y = 1; s[t].z = a[t];
    __syncthreads();
    ((Point *)b)[t] = s[63 - t];
}
