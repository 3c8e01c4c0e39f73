"""The kernels with which host and device take turns at memory: sums, counters, records, tables of pointers."""
from . import kernels
from .calls import ask

SOURCE = r"""
extern "C" {
struct Record { char letter; short pair[3]; int count; double weight; Record *next; };
struct Slice { float *from; int n; float factor; };
__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
__global__ void scale(Slice slice) {
    for (int i = threadIdx.x; i < slice.n; i += blockDim.x) slice.from[i] *= slice.factor;
}
__global__ void count_letters(const unsigned char *text, int n, int *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[text[i] % 26], 1);
}
__global__ void each_block(int *cells) { if (threadIdx.x == 0) cells[blockIdx.x] += blockIdx.x * blockDim.x; }
__global__ void upper(char *text) {
    char c = text[threadIdx.x];
    if (c >= 'a' && c <= 'z') text[threadIdx.x] = c - 32;
}
__global__ void change(Record *r) {
    r->letter += 1;
    r->pair[2] = r->pair[0] - r->pair[1];
    r->count *= 2;
    r->weight /= 4;
}
__global__ void chain(Record *records, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    records[i].count = 100 + i;
    records[i].next = i + 1 < n ? &records[i + 1] : 0;
}
__global__ void bits(unsigned *cells) {
    atomicMax_system(&cells[0], threadIdx.x);
    atomicMin_system(&cells[1], threadIdx.x);
    atomicOr_system(&cells[2], 1u << (threadIdx.x % 32));
    atomicAnd_system(&cells[3], ~(1u << (threadIdx.x % 8)));
    atomicXor_system(&cells[4], 1u);
    atomicInc_system(&cells[5], 9u);
}
__global__ void wide(unsigned long long *a, unsigned short *b, double *c) {
    a[1] = a[0] * 3;
    b[1] = b[0] + 1;
    c[1] = c[0] * 0.5;
}
__global__ void own_address(void **cell) { cell[0] = cell; cell[1] = cell + 5; }
__global__ void reversed(const unsigned char *from, unsigned char *to, int n) {
    extern __shared__ unsigned char staged[];
    staged[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = staged[n - 1 - threadIdx.x];
}
__global__ void gather(unsigned char **table, int n, unsigned char *out) {
    for (int i = 0; i < n; i++) out[i] = *table[i];
}
__global__ void scatter(unsigned char **table, int n, int value) { for (int i = 0; i < n; i++) *table[i] = value + i; }
__global__ void into(unsigned char **cell, int value) { **cell = value; }
}
"""


def launch(title, *arguments, **shape):
    """Launch a kernel of SOURCE; the code's name."""
    return ask(kernels.launch(kernels.kernel(title, SOURCE), *arguments, **shape))


def run(title, *arguments, **shape):
    """The same, and wait."""
    return ask(kernels.run(kernels.kernel(title, SOURCE), *arguments, **shape))
