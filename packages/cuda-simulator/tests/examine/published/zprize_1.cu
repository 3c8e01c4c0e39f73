// A loop has one barrier: behind it all compare with what the others posted, and the fastest post their next number already.
// source: https://github.com/yelhousni/zprize-GPU-MSM-harness/pull/1
// launch: 1 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int posted[64];
    int t = threadIdx.x;
    for (int round = 0; round < 3; round++) {
        int mine = a[round * 64 + t] * 7 % 16;
        posted[t] = mine;                   // <-
        __syncthreads();
        bool alone = true;
        for (int j = 0; j < t; j++) alone &= posted[j] != mine;   // <-
        if (alone) b[round * 64 + t] = mine + 1;
#ifdef MENDED
        __syncthreads();
#endif
    }
}
