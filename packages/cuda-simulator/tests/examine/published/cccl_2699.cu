// The partial sums of a raking reduction go into the memory that other lanes of the warp still rake.
// source: https://github.com/NVIDIA/cccl/pull/2699
// launch: 1 x 96
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int grid[96];
    int t = threadIdx.x;
    grid[t] = a[t];
    __syncthreads();
    if (t < 32) {
        int partial = grid[3 * t] + grid[3 * t + 1] + grid[3 * t + 2];  // <-
#ifdef MENDED
        __syncwarp();
#endif
        grid[t] = partial;                  // <-
        __syncwarp();
        if (t == 0)
            for (int j = 0; j < 32; j++) b[0] += grid[j];
    }
}
