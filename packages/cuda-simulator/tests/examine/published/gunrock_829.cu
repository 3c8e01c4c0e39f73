// A thread reads plainly how many neighbours a node has while others count them down with an atomic.
// source: https://github.com/gunrock/gunrock/issues/829
// launch: 2 x 128
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, many;
#ifdef MENDED
    many = atomicAdd(&b[i], 0);
#else
    many = b[i];                            // <-
#endif
    if (many < 5) atomicAdd(&b[i * 7 % 256], -1);   // <-
}
