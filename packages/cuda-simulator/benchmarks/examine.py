"""What examining costs: the same launches with it and without.

    python packages/cuda-simulator/benchmarks/examine.py

Each figure is the least processor time of several launches; the goal is a vector addition at no more than 5 times its time.
"""
import time

import cuda_simulator

cuda_simulator.attach()

import numpy as np  # noqa: E402  (after the driver is attached)
import pycuda.autoinit  # noqa: E402, F401
import pycuda.driver as cuda  # noqa: E402
from pycuda.compiler import SourceModule  # noqa: E402

SOURCE = """
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__global__ void product(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[16][16], t[16][16];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[y][x] = a[row * n + k + x];
        t[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += s[y][i] * t[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
__global__ void sums(const float *a, float *c)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 128; d; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) c[blockIdx.x] = s[0];
}
"""
MOST = 1 << 20


def least(launch, repetitions=7):
    """The least processor time of a launch, in milliseconds."""
    durations = []
    for _ in range(repetitions):
        start = time.process_time()
        launch()
        cuda.Context.synchronize()
        durations.append(1e3 * (time.process_time() - start))
    return min(durations)


def main():
    module = SourceModule(SOURCE)
    add, product, sums = map(module.get_function, ("add", "product", "sums"))
    a, b, c = (cuda.to_device(np.ones(MOST, np.float32)) for _ in range(3))
    jobs = {f"vector addition, {n:,} elements": (lambda n=n: add(a, b, c, np.int32(n), block=(256, 1, 1), grid=(n // 256, 1)))
            for n in (MOST, 1 << 15, 256)}
    jobs["tiled matrix product, 128 x 128"] = lambda: product(a, b, c, np.int32(128), block=(16, 16, 1), grid=(8, 8))
    jobs[f"sums of blocks of 256, {MOST:,} elements"] = lambda: sums(a, c, block=(256, 1, 1), grid=(MOST // 256, 1))
    for name, launch in jobs.items():
        off = least(launch)
        with cuda_simulator.examine():
            on = least(launch)
        print(f"| {name} | {off:.1f} ms | {on:.1f} ms | {on / off:.1f} |")


if __name__ == "__main__":
    main()
