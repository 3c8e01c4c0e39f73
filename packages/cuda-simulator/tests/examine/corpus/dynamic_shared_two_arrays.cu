// Two arrays in dynamic shared memory, one behind the other.
// launch: 1 x 64
// expect: clean
// with: shared 512
extern __shared__ int dynamic[];
extern "C" __global__ void k(int *a, int *b, int n) {
    int *first = dynamic, *second = dynamic + 64, t = threadIdx.x;
    first[t] = a[t];
    second[t] = a[63 - t];
    __syncthreads();
    b[t] = first[63 - t] + second[63 - t];
}
