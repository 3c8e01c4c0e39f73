__device__ long long shared_address_for(const void *p) {
    return 0;       // about two lines
}
