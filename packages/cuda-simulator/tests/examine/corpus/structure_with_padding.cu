// A structure with padding is copied: nobody has written the padding, and nobody cares.
// launch: 1 x 64
// expect: clean
struct Item { char c; int i; double d; char last; };
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ Item s[64];
    int t = threadIdx.x;
    s[t].c = t; s[t].i = a[t]; s[t].d = t; s[t].last = 1;
    __syncthreads();
    ((Item *)b)[t] = s[63 - t];
}
