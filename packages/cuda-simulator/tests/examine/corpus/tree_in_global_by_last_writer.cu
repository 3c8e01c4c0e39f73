// Sums go up a tree: of two threads the second to come goes on, told by an atomic with fences.
// launch: 4 x 64
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    int *value = b + 1024, *count = b, node = 256 + i;
    value[node] = a[i];
    while (node > 1) {
        __threadfence();
        if (atomicAdd(&count[node / 2], 1) == 0) return;
        __threadfence();
        node /= 2;
        value[node] = value[2 * node] + value[2 * node + 1];
    }
}
