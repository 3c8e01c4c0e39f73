// A lane resets its warp's counter in shared memory, and others count with it; between lies a vote, but no __syncwarp.
// source: https://github.com/NVIDIA/cuCollections/pull/337
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int many[2];
    int t = threadIdx.x, warp = t / 32;
    if (t % 32 == 0) many[warp] = 0;        // <-
#ifdef MENDED
    __syncwarp();
#endif
    bool found = a[t] % 3 == 0;
    if (__any_sync(~0u, found) && found)
        b[warp * 32 + atomicAdd(&many[warp], 1)] = t;   // <-
}
