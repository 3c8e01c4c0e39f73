// Histograms of blocks are added to one in global memory by an atomic that holds within a block only.
// source: https://github.com/ComputationalRadiationPhysics/picongpu/pull/2231
// launch: 4 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int bins[16];
    int t = threadIdx.x;
    if (t < 16) bins[t] = 0;
    __syncthreads();
    atomicAdd_block(&bins[a[blockIdx.x * 64 + t] % 16], 1);
    __syncthreads();
#ifdef MENDED
    if (t < 16) atomicAdd(&b[t], bins[t]);
#else
    if (t < 16) atomicAdd_block(&b[t], bins[t]);    // <-
#endif
}
