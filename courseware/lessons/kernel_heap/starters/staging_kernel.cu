__global__ void stage(char **blocks, const int *offsets, char *staging) {
    ...         // about five lines
}
