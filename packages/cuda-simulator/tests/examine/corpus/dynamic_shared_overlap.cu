// Two arrays in dynamic shared memory that overlap by an element.
// launch: 1 x 64
// expect: race
// with: shared 512
extern __shared__ int dynamic[];
extern "C" __global__ void k(int *a, int *b, int n) {
    int *first = dynamic, *second = dynamic + 63, t = threadIdx.x;
    first[t] = a[t];
    second[t] = a[63 - t];
    __syncthreads();
    b[t] = first[63 - t] + second[63 - t];
}
