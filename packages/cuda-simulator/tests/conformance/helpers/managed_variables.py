"""Two programs with `__managed__` variables, loaded, and where their variables are."""
from cuda.bindings import driver as cu

from . import kernels
from .calls import ask, must

SOURCE = r"""
struct Entry { char key; int value; double share; };
namespace shop { __managed__ int stock = 17; __global__ void sell(int n) { stock -= n; } }
extern "C" {
__managed__ Entry entries[3] = {{'a', 1, 0.5}, {'b', -2, 0.25}, {'c', 3, 0}};
__managed__ float grid[4][8] = {{1, 2, 3}, {4}};
__managed__ unsigned char flag = 200;
__managed__ short small[3] = {-1, 2};
__managed__ long long wide = -5;
__managed__ char text[] = "managed";
__managed__ __align__(64) int aligned = 6;
__managed__ float *rows[4];
__managed__ int big[1 << 18];
__device__ int *where_stock() { return &shop::stock; }
__global__ void share() { for (int i = 0; i < 3; i++) { entries[i].share += entries[i].value; entries[i].key += 1; } }
__global__ void add_rows() {
    int column = threadIdx.x;
    for (int row = 0; row < 4; row++) if (rows[row]) rows[row][column] += grid[row][column];
}
__global__ void each() { flag += 60; small[2] = small[0] - small[1]; wide *= 1000000007LL; text[0] = 'M'; aligned++; }
__global__ void addresses(void **out) { out[0] = &flag; out[1] = where_stock(); out[2] = &grid[1][0]; out[3] = text; }
}
"""


def load(source=SOURCE):
    return must(cu.cuModuleLoadData(kernels.ptx(source)))


def variable(module, title):
    """Address and size."""
    address, size = must(cu.cuModuleGetGlobal(module, title.encode()))
    return int(address), int(size)


def start(module, title, *arguments, **shape):
    return ask(kernels.run(must(cu.cuModuleGetFunction(module, title.encode())), *arguments, **shape))


COUNTERS = r"""
extern "C" {
__managed__ int counter = 42;
__managed__ double pair[2] = {1.5, -2.25};
__managed__ unsigned char bytes[5000];
__managed__ int large[1 << 20];
__managed__ int *pointer;
__device__ int ordinary = 7;
__global__ void bump() { atomicAdd(&counter, 1); }
__global__ void through() { *pointer += 100; }
__global__ void last(int value) { large[(1 << 20) - 1] = value; }
}
"""


def load_counters():
    return must(cu.cuModuleLoadData(kernels.ptx(COUNTERS)))


def address_of(module, title):
    return int(must(cu.cuModuleGetGlobal(module, title.encode()))[0])
