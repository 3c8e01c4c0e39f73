"""Typical teaching kernels with their inputs: run on a GPU once, compared with the simulation ever after.

    control, structures     calls, recursion, barriers; lists, trees, locks, queues
    patterns, sorting       maps, reductions, scans, histograms, stencils; networks, merging, searching
    matrices, warps         transposes, products, solvers; shuffles and votes
    numbers                 arithmetic on its edge values

A case is the text of a kernel named `k`, its launch, and its arguments: arrays (copied to the device, back, and
compared) and numbers. Results are compared bit for bit, unless `error` says by how much they may differ, and a
comment why. `record_on_gpu.py` writes recording.npz; it holds what an H200 answered.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

CASES: dict[str, CorpusKernel] = {}


@dataclass
class CorpusKernel:
    name: str
    shows: str                  # what there is to see in it, in a sentence
    source: str                 # CUDA C++
    grid: tuple
    block: tuple
    arguments: tuple
    shared: int = 0             # bytes of dynamic shared memory
    error: float | None = None  # the difference allowed: relative, and absolute below 1
    contracted: bool = False    # ptxas made fma of its mul and sub: see test_corpus.py
    options: tuple = ()         # of the compiler
    unordered: tuple = ()       # numbers of arrays whose order depends on which thread came first
    expected: object = None     # arguments -> {position: array}, where NumPy can say it simply


def triple(extent) -> tuple:
    """A grid or block as (x, y, z): 4 -> (4, 1, 1)."""
    return (*((extent,) if isinstance(extent, int) else extent), 1, 1)[:3]


def case(name, shows, source, *, grid, block, arguments, **options):
    """Register a kernel, with how it is launched and what it shows."""
    assert name not in CASES, name
    CASES[name] = CorpusKernel(name, shows, source, triple(grid), triple(block), arguments, **options)


def mixed(count, dtype=np.int32, low=0, high=1000, seed=1):
    """Numbers without any symmetry, the same on every machine (a small congruential generator)."""
    state = (np.arange(1, count + 1, dtype=np.uint64) * np.uint64(6364136223846793005)
             + np.uint64(seed * 1442695040888963407 % 2**64))
    state ^= state >> np.uint64(33)
    state *= np.uint64(0xFF51AFD7ED558CCD)
    state ^= state >> np.uint64(29)
    unit = (state >> np.uint64(11)).astype(np.float64) / 2.0**53
    values = low + unit * (high - low)
    return (np.floor(values) if np.dtype(dtype).kind in "iu" else values).astype(dtype)


def zeros(count, dtype=np.int32):
    return np.zeros(count, dtype)


from . import control, matrices, numbers, patterns, sorting, structures, warps  # noqa: E402, F401
