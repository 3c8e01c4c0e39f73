// The lanes of a warp go down a tree in shared memory, level by level, and each level's lanes read what the level above wrote.
// source: https://github.com/tpruvot/ccminer/pull/75
// launch: 1 x 32
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int levels[32];
    int lane = threadIdx.x;
    if (lane % 16 == 0) levels[lane] = a[lane + 3];                     // <-
#ifdef MENDED
    __syncwarp();
#endif
    if (lane % 8 == 0 && lane % 16) levels[lane] = levels[lane - 8] * 2;    // <-
#ifdef MENDED
    __syncwarp();
#endif
    if (lane % 4 == 0 && lane % 8) levels[lane] = levels[lane - 4] + 1;     // <-
#ifdef MENDED
    __syncwarp();
#endif
    b[lane] = levels[lane & ~3];                                        // <-
}
