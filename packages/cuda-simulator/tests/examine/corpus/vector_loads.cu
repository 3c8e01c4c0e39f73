// Four elements at once.
// launch: 1 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int4 s[64];
    s[threadIdx.x] = ((int4 *)a)[threadIdx.x];
    __syncthreads();
    ((int4 *)b)[threadIdx.x] = s[63 - threadIdx.x];
}
