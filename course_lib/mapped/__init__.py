"""Page-locked memory as the device sees it: kernels read and write it in place, with no copy.

`device_address` answers cuMemHostGetDevicePointer's question for any byte of pinned, registered or
virtual memory; `as_gpuarray` shows such memory as a GPUArray (a *zero-copy* view). What a kernel
then accesses, and no cache holds, crosses the link between host and device: good for what is
touched once, slow for what is read again and again.

    >>> import numpy as np
    >>> from course_lib import mapped, pinned
    >>> with pinned.allocate(4, "int32") as host:
    ...     host.array[:] = [1, 2, 3, 4]
    ...     doubled = mapped.as_gpuarray(host.array) * 2      # a kernel reads the host's memory
    ...     doubled.get().tolist()
    [2, 4, 6, 8]

The host must not read what a kernel writes before the kernel is done: synchronise first. For a
conversation while the kernel runs, see `mailbox`. Not here: getting the memory
(`course_lib.pinned`).
"""
from typing import Any

import numpy as np
from cuda.bindings import driver as cu
from pycuda.gpuarray import GPUArray

from ..core.address import address_of
from ..core.array_memory import ArrayMemory
from ..core.errors import CudaError, WrongArgument, WrongPointer, ask
from ..core.ownership import current_context
from ..pointers.address_facts import Kind, attribute, facts, is_mapped
from .mailbox import Mailbox

__all__ = ["Mailbox", "as_gpuarray", "device_address", "mailbox"]

NO_ACCESS = "this is virtual memory, and the device was given no access to it: set_access('readwrite') gives it"
NOT_MAPPED = ("without unified addressing this memory has a device address only if it was allocated with flags='devicemap', "
              "in a context with MAP_HOST")
WHAT_TO_DO = {
    Kind.PINNED: NOT_MAPPED,
    Kind.REGISTERED: NOT_MAPPED,
    Kind.HOST_POOL: "this is pinned memory from a pool, which the forward call refuses: if the pool gives the device access, "
                    "kernels use the host's own address",
    Kind.PAGEABLE: "this is pageable memory: allocate it with pinned.allocate, or page-lock it with pinned.register",
    Kind.DEVICE: "this is device memory already: its address is its device address",
    Kind.MAPPED: NO_ACCESS,
    Kind.MAPPED_HOST: NO_ACCESS,
    Kind.MANAGED: "this is managed memory: its address is its device address",
    Kind.KERNEL_HEAP: "a kernel allocated this: its address is its device address, for kernels only",
    Kind.RESERVED: "this address is only reserved: map memory there first (Addresses.map)",
    Kind.FREED: "this memory was freed: allocate it again",
    Kind.NULL: "this is the null pointer",
    Kind.UNKNOWN: "the driver does not know this address",
}


def device_address(where: Any) -> int:
    """The device's address of a byte of pinned or registered memory, or of virtual memory, as an
    int.

    where: a NumPy array or view that lies in such memory (its first element counts), an object of
           pinned.py, or a host address as an int, which may be an interior one

    Raises WrongPointer, which says what the address is instead, where it is not in such memory.

    CUDA call: cuMemHostGetDevicePointer; the runtime's cudaHostGetDevicePointer is the same (CUDA
    Driver API, Memory Management). For virtual memory cuPointerGetAttribute too (Unified
    Addressing).
    """
    address = where.host_address if hasattr(where, "host_address") else address_of(where)
    current_context()
    try:
        first_byte = int(ask(cu.cuMemHostGetDevicePointer, address, 0))
        # Of virtual memory that call gives the start of the mapping (on H200s and an H100),
        # whichever byte was meant.
        exact = attribute(address, "DEVICE_POINTER") if first_byte != address and is_mapped(address) else first_byte
        if exact is not None:       # None: another thread gave it back since
            return exact
    except CudaError as error:
        if error.name != "CUDA_ERROR_INVALID_VALUE":
            raise
    raise WrongPointer(f"{WHAT_TO_DO[facts(address).kind]}. (Pinned and registered memory has a device address to ask for.)")


def as_gpuarray(array: Any) -> GPUArray:
    """A GPUArray over the same bytes as a NumPy array in pinned or registered memory: no copy,
    either way.

    array: contiguous in C's or Fortran's order. The GPUArray keeps it alive

    Raises WrongArgument for what is no NumPy array, WrongPointer for memory that is not page-locked,
    or not contiguous.
    CUDA call: cuMemHostGetDevicePointer.
    """
    array = array.array if isinstance(array, ArrayMemory) else array
    if not isinstance(array, np.ndarray):
        raise WrongArgument(f"as_gpuarray takes a NumPy array in pinned memory, not {type(array).__name__}. Of memory that is the "
                            "device's already, GPUArray(shape, dtype, gpudata=memory) makes an array")
    if not array.flags.forc:
        raise WrongPointer("the array is not contiguous: take a contiguous part of it, or of array.base")
    return GPUArray(array.shape, array.dtype, gpudata=device_address(array), base=array,
                    order="C" if array.flags.c_contiguous else "F")
