// The last sums of a reduction stay in one warp, without __syncwarp.
// source: https://github.com/kaldi-asr/kaldi/issues/2604
// launch: 2 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32)
        for (int step = 32; step > 0; step /= 2) {
#ifdef MENDED
            int other = s[t + step];
            __syncwarp();
            s[t] += other;
            __syncwarp();
#else
            s[t] += s[t + step];            // <-
#endif
        }
    if (t == 0) b[blockIdx.x] = s[0];
}
