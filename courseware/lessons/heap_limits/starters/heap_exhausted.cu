__global__ void allocate(const unsigned long long *sizes, char **blocks, int *failed) {
    int i = threadIdx.x;
    ...         // about three lines
}
