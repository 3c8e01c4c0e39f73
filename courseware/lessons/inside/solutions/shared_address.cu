__device__ long long shared_address_for(const void *p) {
    if (!__isShared(p)) return -1;
    return __cvta_generic_to_shared(p);
}
