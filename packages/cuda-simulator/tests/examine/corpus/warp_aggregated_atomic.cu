// One lane of the active ones adds for all, and hands the place on by a shuffle.
// launch: 2 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (a[i] % 2) {
        unsigned here = __activemask();
        int leader = __ffs(here) - 1, lane = threadIdx.x % 32, place = 0;
        if (lane == leader) place = atomicAdd(&b[0], __popc(here));
        place = __shfl_sync(here, place, leader);
        b[64 + place + __popc(here & ((1u << lane) - 1))] = a[i];
    }
}
