// All lanes of a warp take a lock in turn: the try-and-skip form that does not hang.
// launch: 1 x 32
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    bool done = false;
    while (!done)
        if (atomicCAS(&b[0], 0, 1) == 0) {
            __threadfence();
            b[1] += a[threadIdx.x];
            __threadfence();
            atomicExch(&b[0], 0);
            done = true;
        }
}
