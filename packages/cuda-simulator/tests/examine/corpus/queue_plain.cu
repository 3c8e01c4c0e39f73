// Each thread takes a place in a queue with ++ in place of an atomic, and writes there.
// launch: 4 x 64
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (a[i] % 3 == 0) {
        int place = b[0];
        b[0] = place + 1;
        a[1024 + place] = a[i];
    }
}
