// The lanes of a warp write a list in shared memory and read each other's entries; between lie shuffles, but no __syncwarp.
// source: https://github.com/ggml-org/llama.cpp/pull/28475
// launch: 1 x 32
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    __shared__ int list[128];
    int lane = threadIdx.x, many = 0, before = 0;
    for (int start = 0; start < 128; start += 32) {
        bool mine = a[start + lane] % 3 == 0;
        unsigned votes = __ballot_sync(~0u, mine);
        before += a[start + lane] % 3 < 1;
        if (mine) list[many + __popc(votes & ((1u << lane) - 1))] = start + lane;   // <-
        many += __popc(votes);
    }
    for (int step = 16; step > 0; step /= 2) before += __shfl_xor_sync(~0u, before, step);
#ifdef MENDED
    __syncwarp();
#endif
    for (int j = lane; j < many; j += 32)
        b[j] = list[many - 1 - j] + before;     // <-
}
