__global__ void allocate(const unsigned long long *sizes, char **blocks, int *failed) {
    int i = threadIdx.x;
    blocks[i] = (char *) malloc(sizes[i]);
    if (blocks[i] == NULL) atomicAdd(failed, 1);
    else blocks[i][0] = 'x';
}
