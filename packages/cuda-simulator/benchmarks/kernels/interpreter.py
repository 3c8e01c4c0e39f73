"""How long typical kernels take in the interpreter, and how that grows with the number of threads.

    python packages/cuda-simulator/benchmarks/kernels/interpreter.py

Times are of this machine, here and now; the best of several runs. They say nothing about any GPU.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.ptx import interpreter as ptx  # noqa: E402
from tests.ptx.cuda import kernel, load, pack, triple  # noqa: E402
from tests.ptx.machine import PtxMachine  # noqa: E402

VECTOR_ADD = kernel("int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) c[i] = a[i] + b[i];",
                    "const float *a, const float *b, float *c, int n")
REDUCTION = kernel("""
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 128; d; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
    """, "const float *a, float *out")
CHASE = kernel("""
    long long p = 0;
    for (int i = 0; i < n; i++)
        p = next[p];
    *out = p;
    """, "const long long *next, long long *out, int n")
HISTOGRAM = kernel("""
    __shared__ int s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(s + d[blockIdx.x * 256 + threadIdx.x], 1);
    __syncthreads();
    atomicAdd(h + threadIdx.x, s[threadIdx.x]);
    """, "const unsigned char *d, int *h")
PRODUCT = kernel("""
    __shared__ float s[16][16], r[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[y][x] = a[row * n + k + x];
        r[y][x] = b[(k + y) * n + col];
        __syncthreads();
        for (int j = 0; j < 16; j++)
            sum += s[y][j] * r[j][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
    """, "const float *a, const float *b, float *c, int n")
MANDELBROT = kernel("""
    int i = blockIdx.x * 256 + threadIdx.x, k = 0;
    float p = i % 256 / 128.f - 1.5f, q = i / 256 / 128.f - 1, x = 0, y = 0;
    while (k < 200 && x * x + y * y < 4) {
        float t = x * x - y * y + p;
        y = 2 * x * y + q;
        x = t;
        k++;
    }
    out[i] = k;
    """, "int *out")
LOCK = kernel("""
    bool done = false;
    while (!done)
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int *)n += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    """, "int *lock, int *n")


def measure(source, grid, block, *arguments, repeat=5, clock=time.perf_counter) -> float:
    """The shortest time of several launches, in seconds."""
    module, machine = load(source), PtxMachine(patience=600)
    machine.load(module)
    values = [machine.array(argument)[0] if isinstance(argument, np.ndarray) else argument for argument in arguments]
    parameters = pack(module.kernels["k"], values)
    best = float("inf")
    for _ in range(repeat):
        start = clock()
        ptx.run(module.kernels["k"], triple(grid), triple(block), parameters, 0, machine)
        best = min(best, clock() - start)
    return best


def chain(count: int) -> np.ndarray:
    """A linked list through `count` elements in random order: element -> next."""
    order = np.random.default_rng(1).permutation(count).astype(np.int64)
    following = np.empty(count, np.int64)
    following[order] = np.roll(order, -1)
    return following


def main():
    print("vector addition: cost against the number of threads")
    for power in range(12, 23, 2):
        count = 1 << power
        values = np.arange(count, dtype=np.float32)
        seconds = measure(VECTOR_ADD, count // 256, 256, values, values, values.copy(), count)
        print(f"  {count:9,} threads {seconds * 1e3:9.2f} ms {seconds / count * 1e9:7.1f} ns a thread")
    million = np.arange(1 << 20, dtype=np.float32)
    data = np.random.default_rng(0).integers(0, 256, 1 << 20).astype(np.uint8)
    square, hops = million[:65536], 20000
    lock, counter = np.zeros(1, np.int32), np.zeros(1, np.int32)
    for what, *launch in (
            ("reduction in shared memory, 1,048,576 elements, 256 threads a block",
             REDUCTION, 4096, 256, million, np.zeros(4096, np.float32)),
            ("histogram, 1,048,576 atomics in shared memory",
             HISTOGRAM, 4096, 256, data, np.zeros(256, np.int32)),
            ("matrix product 256 x 256, tiles of 16",
             PRODUCT, (16, 16), (16, 16), square, square, square.copy(), 256),
            ("Mandelbrot set, 65,536 threads, up to 200 turns",
             MANDELBROT, 256, 256, np.zeros(65536, np.int32)),
            ("a spin lock that 256 threads take once",
             LOCK, 2, 128, lock, counter)):
        print(f"{what}: {measure(*launch) * 1e3:.1f} ms")
    seconds = measure(CHASE, 1, 1, chain(hops), np.zeros(1, np.int64), hops)
    print(f"pointer chasing by one lane: {seconds / hops * 1e6:.2f} us a hop")


if __name__ == "__main__":
    main()
