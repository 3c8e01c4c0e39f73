"""Vector addition over 131,072 threads: this interpreter, Numba's CUDA simulator, Triton's interpreter.

    pip install numba triton       (each peer that is not installed is left out)
    python packages/cuda-simulator/benchmarks/kernels/peers.py

All three run in this process, one after another, on the same data, and their results are checked.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"    # both are read when the packages are imported
os.environ["TRITON_INTERPRET"] = "1"
sys.path.insert(0, str(Path(__file__).parent))

THREADS = 131072
BLOCK = 256
A, B = np.arange(THREADS, dtype=np.float32), np.arange(THREADS, dtype=np.float32) * 3 + 1


def ours() -> float:
    from interpreter import VECTOR_ADD, measure
    return measure(VECTOR_ADD, THREADS // BLOCK, BLOCK, A, B, np.zeros(THREADS, np.float32), THREADS, repeat=20)


def numba_simulator(threads: int = THREADS // 64) -> float:
    """Numba starts a Python thread for each CUDA thread: a part of the grid is timed and the time scaled up."""
    global cuda     # the simulator puts its own in the place of the function's global `cuda`
    from numba import cuda

    @cuda.jit
    def add(a, b, c):
        i = cuda.grid(1)
        if i < c.size:
            c[i] = a[i] + b[i]

    c = np.zeros(threads, np.float32)
    start = time.perf_counter()
    add[threads // BLOCK, BLOCK](A[:threads], B[:threads], c)
    seconds = time.perf_counter() - start
    assert (c == A[:threads] + B[:threads]).all()
    return seconds * THREADS / threads


class HostTensor:
    """A NumPy array with as much of torch.Tensor as Triton's interpreter asks for, so that torch is not needed."""

    dtype = "fp32"

    def __init__(self, array):
        self.array = array

    def data_ptr(self):
        return self.array.ctypes.data

    def untyped_storage(self):
        return self

    def cpu(self):
        return self

    def new_empty(self, *_, **__):
        return HostTensor(None)

    def set_(self, storage, *_):
        self.array = storage.array

    def copy_(self, _):
        pass        # host and "device" are one array

    storage_offset = size = stride = lambda self: 0


def triton_interpreter() -> float:
    global tl       # a kernel's names are looked up in its module
    import triton
    import triton.language as tl

    @triton.jit
    def add(a, b, c, n, SIZE: tl.constexpr):
        i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
        inside = i < n
        tl.store(c + i, tl.load(a + i, mask=inside) + tl.load(b + i, mask=inside), mask=inside)

    a, b, c = HostTensor(A), HostTensor(B), HostTensor(np.zeros(THREADS, np.float32))
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        add[(THREADS // BLOCK,)](a, b, c, THREADS, SIZE=BLOCK)
        best = min(best, time.perf_counter() - start)
    assert (c.array == A + B).all()
    return best


def main():
    mine = ours()
    print(f"this interpreter           {mine * 1e3:12.2f} ms")
    for name, peer in (("Numba's CUDA simulator", numba_simulator), ("Triton's interpreter", triton_interpreter)):
        try:
            seconds = peer()
        except ImportError as error:
            print(f"{name:26} left out: {error}")
            continue
        print(f"{name:26} {seconds * 1e3:12.2f} ms   {seconds / mine:10,.0f} times as long")


if __name__ == "__main__":
    main()
