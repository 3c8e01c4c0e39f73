// The barrier stands where only the threads that add come by.
// launch: 1 x 256
// expect: barrier race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int d = 128; d > 0; d /= 2)
        if (t < d) {
            s[t] += s[t + d];
            __syncthreads();
        }
    __syncthreads();
    b[t] = s[0];
}
