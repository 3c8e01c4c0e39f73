// A thread claims a slot by the key with atomicCAS and then writes the payload; who finds the key there returns the payload at once.
// source: https://github.com/NVIDIA/cuCollections/pull/389
// launch: 4 x 32
// expect: race
extern "C" __global__ void k(int *a, int *b, int n) {
    int key = a[threadIdx.x] + 1, *keys = b, *payloads = b + 64;
    int there = atomicCAS(&keys[threadIdx.x], 0, key), payload = key * 3;
#ifdef MENDED
    if (there == 0) atomicExch(&payloads[threadIdx.x], payload);
    else while ((payload = atomicAdd(&payloads[threadIdx.x], 0)) == 0) ;
#else
    if (there == 0) payloads[threadIdx.x] = payload;        // <-
    else payload = payloads[threadIdx.x];                   // <-
#endif
    b[256 + blockIdx.x * 32 + threadIdx.x] = payload;
}
