"""How much the simulated driver costs, beside what it could at best cost.

    python packages/cuda-simulator/benchmarks/driver.py

Each figure is the median of several repetitions, with the smallest and the largest. The peer runs in the same
process: for calls, cuda-bindings over a C function that does nothing; for copies, memmove of the same bytes.
"""
import ctypes
import functools
import statistics
import time

import cuda_simulator
from cuda_simulator.libcuda import library

import numpy as np

cuda_simulator.attach()

from cuda.bindings import driver as cu  # noqa: E402  (after the driver is attached)

MEMORY_TYPE = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE
COPY = 256 << 20
CALLS = 20_000


def must(answer):
    """The result of a call that has to succeed."""
    status, *values = answer
    assert int(status) == 0, status
    return values[0] if len(values) == 1 else values


def seconds(function, repetitions=7):
    """Seconds of each repetition, after one that is not counted."""
    function()
    durations = []
    for _ in range(repetitions):
        start = time.perf_counter()
        function()
        durations.append(time.perf_counter() - start)
    return durations


def show(what, samples, unit, digits=2):
    print(f"{what:58} {statistics.median(samples):8.{digits}f} {unit}   ({min(samples):.{digits}f} to {max(samples):.{digits}f})")


def per_call(function):
    """Microseconds a call."""
    def many():
        for _ in range(CALLS):
            function()
    return [1e6 * seconds_of_all / CALLS for seconds_of_all in seconds(many)]


def main():
    must(cu.cuInit(0))
    must(cu.cuCtxCreate(None, 0, 0))
    device, pinned = int(must(cu.cuMemAlloc(COPY))), must(cu.cuMemHostAlloc(COPY, 0))
    source, target = np.ones(COPY, np.uint8), np.ones(COPY, np.uint8)

    def gigabytes(function):
        return [COPY / one_ / 1e9 for one_ in seconds(function)]
    show("memmove, 256 MiB", gigabytes(lambda: ctypes.memmove(target.ctypes.data, source.ctypes.data, COPY)), "GB/s")
    show("cuMemcpyHtoD from pageable memory, 256 MiB", gigabytes(lambda: cu.cuMemcpyHtoD(device, source.ctypes.data, COPY)), "GB/s")
    show("cuMemcpyHtoD from pinned memory, 256 MiB", gigabytes(lambda: cu.cuMemcpyHtoD(device, pinned, COPY)), "GB/s")
    show("cuMemcpyDtoH to pageable memory, 256 MiB", gigabytes(lambda: cu.cuMemcpyDtoH(target.ctypes.data, device, COPY)), "GB/s")

    show("pointer attribute, 2 live allocations", per_call(lambda: cu.cuPointerGetAttribute(MEMORY_TYPE, pinned)), "us")
    for count in (1_000, 10_000):
        live = [int(must(cu.cuMemAlloc(512))) for _ in range(count)]
        show(f"pointer attribute, {count} more live allocations",
             per_call(functools.partial(cu.cuPointerGetAttribute, MEMORY_TYPE, live[count // 2])), "us")
        show(f"cuMemAlloc and cuMemFree, {count} more live allocations",
             per_call(lambda: cu.cuMemFree(must(cu.cuMemAlloc(512)))), "us")
        for address in live:
            must(cu.cuMemFree(address))

    library.attach(lambda: True).stand_in_close()    # from here on every call is a C function that returns at once
    show("pointer attribute, the binding alone", per_call(lambda: cu.cuPointerGetAttribute(MEMORY_TYPE, pinned)), "us")


if __name__ == "__main__":
    main()
