// An index that forgets y: threads of a plane write one element.
// launch: 2 x 8 8
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.y * 8 + threadIdx.x];
    __syncthreads();
    b[blockIdx.x * 64 + threadIdx.y * 8 + threadIdx.x] = s[threadIdx.x];
}
