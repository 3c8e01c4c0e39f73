"""A CUDA driver without a GPU: real addresses, real rules, no times.

`attach` loads a library that calls itself libcuda.so.1 and answers with the Python functions of this package.
PyCUDA, cuda-bindings and whatever else asks for the CUDA driver then run unmodified.

What is simulated: address spaces first (which address is valid where, what refers to the same bytes, who owns
what and for how long), arithmetic second (kernels, from NVIDIA's own compiler's PTX). What is not: time.

    library.py          the stand-in library and how Python gets behind its names
    calls/              the driver API, function by function
    windows.py          the address space that is set aside
    memory.py           kinds of memory, addresses, and where their bytes are;  blocks.py  what they are cut from
    physical_memory.py  memory without an address, and descriptors of it
    virtual_memory.py   reservations and mappings
    heap.py             the heap that kernels allocate from;  pools.py  memory pools
    context.py          devices and contexts
    streams.py          order of work
    modules.py          PTX that was loaded;  execution.py  a kernel that runs;  ptx/  instructions
    watch.py            for learners: traces of threads, and how accesses coalesce

This package imports nothing of the rest of `course_lib`.
"""
from .stand_in import PATH as STAND_IN
from .stand_in import StandInMissing


def attach():
    """Make this process's libcuda.so.1 the simulated one. Call it before PyCUDA or cuda-bindings load the driver.

    Idempotent. Raises StandInMissing if the stand-in library is not built.
    """
    from . import calls, library, state  # noqa: F401  (importing the calls registers them)
    return library.attach(in_use=lambda: state.driver.initialized)


def first_device():
    """What device 0 is, without initialising the driver: that is left to the program, as with a GPU."""
    from . import device_facts
    from .state import DRIVER_VERSION
    return {"device": device_facts.NAME,
            "compute_capability": tuple(device_facts.ATTRIBUTES[one] for one in device_facts.COMPUTE_CAPABILITY),
            "cuda_version": (DRIVER_VERSION // 1000, DRIVER_VERSION % 1000 // 10)}


__all__ = ["STAND_IN", "StandInMissing", "attach", "first_device"]
