// printf puts its values in local memory.
// launch: 1 x 4
// expect: clean
#include <cstdio>
extern "C" __global__ void k(int *a, int *b, int n) {
    if (threadIdx.x == 0) printf("%d %f\n", a[1], 0.5 * a[2]);
    b[threadIdx.x] = 1;
}
