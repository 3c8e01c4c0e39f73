"""The kernels of numerical loops: relaxation, sums, products, roots, random numbers, life."""
from . import kernels
from .calls import ask

SOURCE = r"""
extern "C" {
__global__ void relax(const float *from, float *to, int n, int *changed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = (i == 0 || i == n - 1) ? from[i] : (from[i - 1] + from[i + 1]) / 2;
    to[i] = value;
    if (value - from[i] > 0.25f || from[i] - value > 0.25f) atomicAdd(changed, 1);
}
__global__ void sum_halves(int *cells, int half) {
    if (threadIdx.x < half) cells[threadIdx.x] += cells[threadIdx.x + half];
}
__global__ void multiply(const double *a, const double *b, double *c, int n) {
    int row = threadIdx.y, column = threadIdx.x;
    double sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
__global__ void newton(double *x, const double *of) { int i = threadIdx.x; x[i] = (x[i] + of[i] / x[i]) / 2; }
__global__ void next_random(unsigned *state) { state[threadIdx.x] = state[threadIdx.x] * 1664525u + 1013904223u; }
__global__ void life(const unsigned char *from, unsigned char *to, int width, int height) {
    int x = threadIdx.x, y = threadIdx.y, count = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) count += from[(y + dy + height) % height * width + (x + dx + width) % width];
    to[y * width + x] = count == 3 || (count == 2 && from[y * width + x]);
}
__global__ void bits_of(const unsigned *words, int n, unsigned long long *total, unsigned *longest) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { atomicAdd(total, (unsigned long long)__popc(words[i])); atomicMax(longest, words[i]); }
}
__global__ void swap_pairs(short *cells, int odd) {
    int i = 2 * threadIdx.x + odd;
    short a = cells[i], b = cells[i + 1];
    if (a > b) { cells[i] = b; cells[i + 1] = a; }
}
__global__ void running(const int *from, int *to, int n, int step) {
    int i = threadIdx.x;
    if (i < n) to[i] = from[i] + (i >= step ? from[i - step] : 0);
}
}
"""


def launch(title, *arguments, **shape):
    return ask(kernels.launch(kernels.kernel(title, SOURCE), *arguments, **shape))


def run(title, *arguments, **shape):
    return ask(kernels.run(kernels.kernel(title, SOURCE), *arguments, **shape))
