// Steps from one array to the other and back, within a block, with barriers.
// launch: 1 x 128
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    int t = threadIdx.x;
    for (int step = 0; step < 4; step++) {
        int *from = step % 2 ? b : a, *to = step % 2 ? a : b;
        to[t] = from[t] + from[(t + 1) % 128];
        __syncthreads();
    }
}
