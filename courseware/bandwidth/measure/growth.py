"""A buffer on the device that becomes twice as large: in place, or by a larger one and a copy of the content.

In place means virtual memory management: more physical memory is mapped behind what is there
(course_lib/reservation/growing_buffer.py). The content so far is checked afterwards, at its new address or the old one.
"""
from course_lib import reservation

import pycuda.driver as cuda

from .buffers import Buffer
from .job import Job, powers

METHOD = {
    "growth": "From half of x to x bytes, by the host's clock until the device is done. In place: cuMemCreate, "
              "cuMemMap and cuMemSetAccess. Reallocate and copy: cuMemAlloc, cuMemcpyDtoD, cuMemFree of the old one.",
}
SMALLEST, LARGEST = 4 << 20, 4 << 30


def jobs(effort):
    """The jobs of this module's experiment."""
    sizes = powers(SMALLEST, LARGEST, effort.step)
    yield Job("growth", "in place", "mapped reservation", "driver", sizes, in_place, lambda x: (0, x), lambda x: 0.02)
    yield Job("growth", "reallocate and copy", "device", "driver", sizes, by_copy, lambda x: (0, 2 * x), lambda x: 0.05)


def in_place(bench, job, xs):
    """Milliseconds to each size."""
    for nbytes in xs:
        yield [_in_place(bench, nbytes // 2) for _ in range(bench.effort.samples)]


def _in_place(bench, half):
    with reservation.GrowingBuffer(most=2 * half) as growing:
        growing.grow(half)
        sample = _fill(bench, growing.device_address, half)
        seconds = bench.clock.on_host(lambda: growing.grow(half), warm_up=False)
        _check(bench, growing.device_address, half, sample)
    return 1e3 * seconds


def by_copy(bench, job, xs):
    """Milliseconds to each size."""
    for nbytes in xs:
        yield [_by_copy(bench, nbytes // 2) for _ in range(bench.effort.samples)]


def _by_copy(bench, half):
    allocations = [cuda.mem_alloc(half)]
    sample = _fill(bench, int(allocations[0]), half)

    def grow():
        allocations.append(cuda.mem_alloc(2 * half))
        cuda.memcpy_dtod(allocations[1], allocations[0], half)
        cuda.Context.synchronize()
        allocations.pop(0).free()
    try:
        seconds = bench.clock.on_host(grow, warm_up=False)
        _check(bench, int(allocations[0]), half, sample)
    finally:
        for memory in allocations:
            memory.free()
    return 1e3 * seconds


def _fill(bench, address, nbytes):
    sample = bench.next_sample()
    bench.fill(Buffer("device", nbytes, address, None), nbytes, sample)
    return sample


def _check(bench, address, nbytes, sample):
    bench.check(Buffer("device", nbytes, address, None), nbytes, sample)
