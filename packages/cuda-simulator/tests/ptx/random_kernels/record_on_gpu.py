"""Run every random kernel on a real GPU, with and without optimisation, and write what came out to recording.npz.

    python -m tests.ptx.random_kernels.record_on_gpu [how many]      (1000; cuda-bindings and NVRTC installed)

Four ways: NVRTC optimises or not, the driver's assembler optimises or not. A kernel that comes to different results on
the GPU itself is left out: then it is not the interpreter's fault. The file holds a digest of 8 bytes for each kernel.
"""

from __future__ import annotations

import os
import sys
import time
from multiprocessing import get_context

import numpy as np
from cuda.bindings import driver

from ..corpus.record_on_gpu import must
from ..cuda import compile
from .compare import RECORDING
from .running import ARCHITECTURE, BLOCKS, THREADS, WAYS, arguments, digest
from .writer import text

OPTIMISATION_LEVELS = (4, 0)        # of CU_JIT_OPTIMIZATION_LEVEL
CHUNK = 20                          # kernels of one process


def attach() -> str:
    """Make the first GPU this process's; its name."""
    must(*driver.cuInit(0))
    device = must(*driver.cuDeviceGet(0))
    must(*driver.cuCtxSetCurrent(must(*driver.cuDevicePrimaryCtxRetain(device))))
    must(*driver.cuCtxSetLimit(driver.CUlimit.CU_LIMIT_STACK_SIZE, 16384))      # for the recursions
    return must(*driver.cuDeviceGetName(100, device)).rstrip(b"\0 ").decode()


def load(ptx: str, level: int):
    option = driver.CUjit_option.CU_JIT_OPTIMIZATION_LEVEL
    return must(*driver.cuModuleLoadDataEx(ptx.encode() + b"\0", 1, [option], [level]))


def launch(module) -> int:
    function = must(*driver.cuModuleGetFunction(module, b"k"))
    arrays, pointers = arguments(), []
    for array in arrays:
        pointers.append(must(*driver.cuMemAlloc(array.nbytes)))
        must(*driver.cuMemcpyHtoD(pointers[-1], array.ctypes.data, array.nbytes))
    values = [np.array(int(pointer), np.uint64) for pointer in pointers]
    packed = np.array([value.ctypes.data for value in values], np.uint64)
    must(*driver.cuLaunchKernel(function, BLOCKS, 1, 1, THREADS, 1, 1, 0, 0, packed.ctypes.data, 0))
    must(*driver.cuCtxSynchronize())
    for pointer, array in zip(pointers, arrays):
        must(*driver.cuMemcpyDtoH(array.ctypes.data, pointer, array.nbytes))
        must(*driver.cuMemFree(pointer))
    return digest(arrays)


def digests(seed: int) -> list:
    """The digests of all ways: one, where the GPU agrees with itself. Raises RuntimeError where a kernel fails on it."""
    different = set()
    for options in WAYS.values():
        ptx = compile.__wrapped__(text(seed), ARCHITECTURE, options)
        for level in OPTIMISATION_LEVELS:
            try:
                module = load(ptx, level)
            except RuntimeError as error:       # the assembler does not optimise what is made for a debugger
                if "INVALID_PTX" not in str(error):
                    raise
                continue
            different.add(launch(module))
            must(*driver.cuModuleUnload(module))
    return sorted(different)


def run_seeds(seeds: range) -> tuple[dict, range]:
    """{seed: digests} of some kernels, and the seeds that are left: a kernel that fails spoils its process."""
    attach()
    by_seed = {}
    for seed in seeds:
        try:
            by_seed[seed] = digests(seed)
        except RuntimeError as error:
            print(f"kernel {seed}: {error}", flush=True)
            by_seed[seed] = []
            return by_seed, range(seed + 1, seeds.stop)
    return by_seed, range(0)


def main():
    count, start = int(sys.argv[1]) if len(sys.argv) > 1 else 1000, time.monotonic()
    # Compiling is what takes long, so there are several processes, each with a context of its own.
    by_seed, waiting = {}, [range(at, min(at + CHUNK, count)) for at in range(0, count, CHUNK)]
    with get_context("spawn").Pool(min(os.cpu_count(), 12), maxtasksperchild=1) as pool:
        while waiting:
            results = pool.map(run_seeds, waiting, chunksize=1)
            waiting = [seeds for _, seeds in results if len(seeds)]
            for digests_, _ in results:
                by_seed |= digests_
            print(f"{len(by_seed)} kernels, {time.monotonic() - start:.0f} s", flush=True)
    good = {seed: digests_[0] for seed, digests_ in sorted(by_seed.items()) if len(digests_) == 1}
    left_out = sorted(by_seed.keys() - good.keys())
    name = attach()
    np.savez_compressed(RECORDING, seeds=np.array(list(good), np.uint32), digests=np.array(list(good.values()), np.uint64),
                        left_out=np.array(left_out, np.uint32), device=np.array(name))
    print(f"{len(good)} kernels on {name}, left out: {left_out}; {RECORDING} ({RECORDING.stat().st_size} bytes)")


if __name__ == "__main__":
    main()
