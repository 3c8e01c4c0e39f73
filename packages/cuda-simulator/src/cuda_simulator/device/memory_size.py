"""How much memory a simulated device has: an H200's, or what CUDA_SIMULATOR_MEMORY says.

A program that takes a share of what cuMemGetInfo tells would take more than most machines have. So `python -m cuda_simulator` and
`pytest --cuda-simulator` set the variable to what this machine can give, where nobody has set it.

Not here: that the machine never runs out while bytes are touched (memory/windows.py).
"""
import os
import re

from ..libcuda.process_memory import available
from . import device_facts

SIZE = "CUDA_SIMULATOR_MEMORY"      # environment variable: bytes, or a number with K, M, G or T behind it
LEAST = 1 << 30                     # a context alone takes half of that on an H200
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
_GRANULE = 2 << 20


def total():
    """Bytes of memory of each device; ValueError where CUDA_SIMULATOR_MEMORY is no size, or is too small."""
    asked_for = os.environ.get(SIZE)
    if asked_for is None:
        return device_facts.TOTAL_MEMORY
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)(?:i?B)?", asked_for.strip(), re.IGNORECASE)
    size = int(float(match[1]) * (1 << _UNITS[match[2].upper()])) // _GRANULE * _GRANULE if match else 0
    if not LEAST <= size <= device_facts.TOTAL_MEMORY:
        raise ValueError(f"{SIZE} is {asked_for!r}: it has to be a size from 1G to {device_facts.TOTAL_MEMORY >> 30}G, such as 8G")
    return size


def fit_to_this_machine():
    """Where nobody said how much there is: three quarters of what this machine, or its container, has free, and at most an H200's."""
    if SIZE not in os.environ:
        size = max(LEAST, min(device_facts.TOTAL_MEMORY, available() // 4 * 3) // _GRANULE * _GRANULE)
        os.environ[SIZE] = str(size)
