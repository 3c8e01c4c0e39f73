"""What the driver's own calls cost that allocate, page-lock and free.

By the host's clock, from the call until it returns. The calls are made without the course's helpers around them.
"""
import contextlib
import gc

from course_lib.core.errors import ask, do

import numpy as np
from cuda.bindings import driver as cu

from .buffers import ON_DEVICE
from .job import Job, one_buffer, powers

METHOD = {
    "host memory cost": "Each call by itself, by the host's clock. Pageable memory: numpy.empty and one byte written "
                        "to each page. Registered memory: its pages were all written before.",
}
WRITE_COMBINED = 4      # CU_MEMHOSTALLOC_WRITECOMBINED
PAGE = 4096
ALLOCATED = {"pinned": 0, "write-combined": WRITE_COMBINED}
HOST_CALLS = [*((memory, call) for memory in ("pageable", *ALLOCATED, "device") for call in ("allocate", "free")),
              ("registered", "register"), ("registered", "unregister")]
UNDOING = ("free", "unregister")


def jobs(effort):
    """The jobs of this module's experiment."""
    sizes = powers(4 << 10, effort.largest, max(4, effort.step))
    for memory, call in HOST_CALLS:
        yield Job("host memory cost", call, memory, "CPU" if memory == "pageable" else "driver", sizes, host_memory,
                  one_buffer(memory), _seconds(effort, memory))


def _seconds(effort, memory):
    rate = 1e12 if memory in ON_DEVICE else 3e9
    return lambda x: effort.samples * x / rate


def host_memory(bench, job, xs):
    """Milliseconds of one call for each size."""
    for nbytes in xs:
        steps = _registering(nbytes) if job.memory == "registered" else _allocating(job.memory, nbytes)
        yield [1e3 * _seconds_of(bench, steps, job.what) for _ in range(bench.effort.samples)]


def _seconds_of(bench, steps, timed):
    """Run all steps, {name: function}, each once and in order, and return the seconds that the `timed` one took."""
    seconds = {}
    try:
        with no_collection():
            for name, function in steps.items():
                seconds[name] = bench.clock.on_host(function, warm_up=False)
    except BaseException:       # Ctrl-C too: what a step made must go, for addresses and handles outlive the context
        for name in steps.keys() & set(UNDOING) - seconds.keys():
            with contextlib.suppress(Exception):
                steps[name]()
        raise
    return seconds[timed]


@contextlib.contextmanager
def no_collection():
    """Python's garbage collector takes longer than most of these calls: not in the middle of one."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _allocating(memory, nbytes):
    allocated = []
    if memory == "pageable":
        def allocate():
            allocated.append(np.empty(nbytes, np.uint8))
            allocated[0][::PAGE] = 1
        return {"allocate": allocate, "free": allocated.clear}
    if memory == "device":
        return {"allocate": lambda: allocated.append(ask(cu.cuMemAlloc, nbytes)),
                "free": lambda: do(cu.cuMemFree, allocated.pop())}
    return {"allocate": lambda: allocated.append(ask(cu.cuMemHostAlloc, nbytes, ALLOCATED[memory])),
            "free": lambda: do(cu.cuMemFreeHost, allocated.pop())}


def _registering(nbytes):
    array = np.ones(nbytes, np.uint8)
    return {"register": lambda: do(cu.cuMemHostRegister, array.ctypes.data, nbytes, 0),
            "unregister": lambda: do(cu.cuMemHostUnregister, array.ctypes.data)}
