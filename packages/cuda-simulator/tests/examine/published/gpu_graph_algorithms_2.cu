// A shorter distance is found by a plain read and exchanged atomically: another, shorter one may be lost in between.
// source: https://github.com/sengorajkumar/gpu_graph_algorithms/issues/2
// launch: 2 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, distance = -a[i] - 1;
#ifdef MENDED
    atomicMin(&b[i % 8], distance);
#else
    if (distance < b[i % 8])                // <-
        atomicExch(&b[i % 8], distance);    // <-
#endif
}
