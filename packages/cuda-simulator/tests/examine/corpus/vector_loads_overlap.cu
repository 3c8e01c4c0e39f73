// Four elements at once, where others write single ones.
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[256];
    int t = threadIdx.x;
    for (int i = 0; i < 4; i++) s[i * 64 + t] = a[i * 64 + t];
    ((int4 *)b)[t] = ((int4 *)s)[t];
}
