__global__ void stage(char **blocks, const int *offsets, char *staging) {
    char *block = blocks[blockIdx.x], *staged = staging + offsets[blockIdx.x];
    int nbytes = offsets[blockIdx.x + 1] - offsets[blockIdx.x];
    for (int i = threadIdx.x; i < nbytes; i += blockDim.x)
        staged[i] = block[i];
}
