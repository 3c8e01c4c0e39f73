// All threads write the same value to one word: harmless on hardware, and a race by CUDA's rules.
// launch: 2 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    if (a[blockIdx.x * 64 + threadIdx.x] >= 0)
        b[0] = 1;
}
