// A ring buffer between two blocks with a head and a tail, both volatile, with fences.
// launch: 2 x 32
// expect: clean
extern "C" __global__ void k(int *a, int *b, int n) {
    volatile int *head = b, *tail = b + 1;
    int *ring = b + 16;
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0)
            for (int i = 0; i < 20; i++) {
                while (i - *tail >= 4);
                __threadfence();
                ring[i % 4] = a[i];
                __threadfence();
                *head = i + 1;
            }
        else
            for (int i = 0; i < 20; i++) {
                while (*head <= i);
                __threadfence();
                b[64 + i] = ring[i % 4];
                __threadfence();
                *tail = i + 1;
            }
    }
}
