"""Typical teaching kernels with their inputs: run on a GPU once, compared with the simulation ever after.

A Case is a kernel named `k`, its launch, and its arguments: arrays (copied to the device, back, and compared)
and numbers. `error` is the relative error allowed where instructions do not define the last bits; without it the
results are compared bit for bit. `record_on_gpu.py` writes recording.npz.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

CASES: dict[str, "Case"] = {}


@dataclass
class Case:
    name: str
    source: str
    grid: tuple
    block: tuple
    arguments: tuple
    shared: int = 0
    error: float | None = None
    options: tuple = ()
    unordered: tuple = ()       # numbers of arrays whose order depends on which thread came first
    expected: object = None     # arguments -> {position: array}, where NumPy can say it simply


def triple(extent) -> tuple:
    return (*((extent,) if isinstance(extent, int) else extent), 1, 1)[:3]


def case(name, parameters, body, grid, block, *arguments, before="", expected=None, **more):
    """Register a kernel: its parameter list and body, the launch, the arguments."""
    assert name not in CASES, name
    source = f'{before}\nextern "C" __global__ void k({parameters}) {{\n{body}\n}}\n'
    CASES[name] = Case(name, source, triple(grid), triple(block), arguments, expected=expected, **more)


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
