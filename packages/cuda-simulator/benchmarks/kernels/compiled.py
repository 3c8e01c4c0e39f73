"""What the interpreter takes for a kernel, and what Numba takes for the same work on one core.

    pip install numba
    python packages/cuda-simulator/benchmarks/kernels/compiled.py

Numba compiles plain loops for the CPU: that is about what a compiler for PTX could at best come to. Processor time, the best of several
runs.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numba
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from interpreter import HISTOGRAM, MANDELBROT, PRODUCT, REDUCTION, VECTOR_ADD, kernel, measure  # noqa: E402

SIMPLE_PRODUCT = kernel("""
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
    """, "const float *a, const float *b, float *c, int n")


@numba.njit
def add(a, b, c):
    for i in range(len(c)):
        c[i] = a[i] + b[i]


@numba.njit
def sums(a, out):
    for block in range(len(out)):
        total = np.float32(0)
        for i in range(256):
            total += a[block * 256 + i]
        out[block] = total


@numba.njit
def histogram(data, counts):
    for value in data:
        counts[value] += 1


@numba.njit
def product(a, b, c, n):
    for row in range(n):
        for col in range(n):
            total = np.float32(0)
            for k in range(n):
                total += a[row * n + k] * b[k * n + col]
            c[row * n + col] = total


@numba.njit
def mandelbrot(out):
    for i in range(len(out)):
        p, q = np.float32(i % 256) / np.float32(128) - np.float32(1.5), np.float32(i // 256) / np.float32(128) - np.float32(1)
        x = y = np.float32(0)
        k = 0
        while k < 200 and x * x + y * y < np.float32(4):
            x, y = x * x - y * y + p, np.float32(2) * x * y + q
            k += 1
        out[i] = k


def best(function, repeat=5) -> float:
    function()      # compiles
    durations = []
    for _ in range(repeat):
        start = time.process_time()
        function()
        durations.append(time.process_time() - start)
    return min(durations)


def main():
    million = np.arange(1 << 20, dtype=np.float32) % 64
    data = np.random.default_rng(0).integers(0, 256, 1 << 20).astype(np.uint8)
    pairs = [("vector addition, 1,048,576 elements", VECTOR_ADD, 4096, 256, (million, million, ("f4", 1 << 20), 1 << 20), add),
             ("sums of blocks of 256, 1,048,576 elements", REDUCTION, 4096, 256, (million, ("f4", 4096)), sums),
             ("histogram of 1,048,576 bytes", HISTOGRAM, 4096, 256, (data, ("i4", 256)), histogram),
             ("Mandelbrot set, 256 x 256, at most 200 turns", MANDELBROT, 256, 256, (("i4", 65536),), mandelbrot)]
    for n in (256, 512, 1024):
        matrix = np.random.default_rng(1).random(n * n, np.float32)
        pairs += [(f"{what} matrix product, {n} x {n}", source, (n // 16, n // 16), (16, 16), (matrix, matrix, ("f4", n * n), n), product)
                  for what, source in (("simple", SIMPLE_PRODUCT), ("tiled", PRODUCT)) if (what, n) != ("simple", 1024)]
    for what, source, grid, block, arguments, compiled in pairs:
        arguments = [np.zeros(*reversed(argument)) if isinstance(argument, tuple) else argument for argument in arguments]
        mine = measure(source, grid, block, *arguments, repeat=3, clock=time.process_time)
        theirs = best(lambda: compiled(*arguments[:compiled.py_func.__code__.co_argcount]), repeat=3)  # noqa: B023  (called at once)
        print(f"{what:46} {mine * 1e3:9.1f} ms, Numba {theirs * 1e3:8.2f} ms, {mine / theirs:6.1f} times")


if __name__ == "__main__":
    main()
