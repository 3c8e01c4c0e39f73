"""The heap inside kernels: memory that device code gets from ``malloc``, and how its content
reaches the host.

Every context has such a heap. Its pointers are good in kernels, until they are freed or the context
ends (on an H200 in kernels of another context of the same device and process too); to the host's
calls they are unknown. What lies there comes out by a *staging copy*: a kernel copies it into
memory from cuMemAlloc, and the host copies that.

    >>> from course_lib import kernel_heap
    >>> with kernel_heap.allocate([5, 3]) as blocks:
    ...     kernel_heap.put_in(blocks.addresses[0], b"hello")
    ...     bytes(kernel_heap.bring_out(blocks.addresses[0], 5))
    b'hello'

Memory from cuMemAlloc (cudaMalloc) needs no staging: the host copies it directly. ``cudaMalloc``
called *in a kernel* is another name for this heap (and needs ``-rdc=true``); ``cudaMemcpy`` is a
host function and does not compile there.
Not here: the staging copy itself (staging.py), and how an address is told to be of a heap
(../pointers/address_facts.py).
"""
from collections.abc import Iterable, Sequence

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from ..core import journal
from ..core.errors import CudaError, Misuse, TooLate, WrongPointer, WrongSize, ask, do
from ..core.ownership import ContextOf, Resource, current_context, in_context
from ..pointers.address_facts import Kind, device_has
from .staging import bring_out, bring_out_all, bring_out_list, code, heap_entry, put_in, read, words

__all__ = ["HeapBlocks", "HeapExhausted", "allocate", "bring_out", "bring_out_all", "bring_out_list", "free", "limit",
           "put_in", "set_limit"]

HEAP_SIZE = cu.CUlimit.CU_LIMIT_MALLOC_HEAP_SIZE


class HeapExhausted(Misuse, MemoryError):
    """The heap has no room: malloc in a kernel returned a null pointer."""


class HeapBlocks(Resource):
    """Blocks of the kernel heap, from `allocate`: `addresses` and `sizes` (in bytes), in the order
    asked for."""

    def __init__(self, addresses: list[int], sizes: list[int]) -> None:
        context = current_context()
        self.sizes, self._addresses = sizes, addresses
        entries = [journal.note(Kind.KERNEL_HEAP.value, start, size, context) for start, size in zip(addresses, sizes)]
        self._hold(_free_noted, context, addresses, entries)

    @property
    def addresses(self) -> list[int]:
        """Where the blocks are: a list of ints, for kernels only."""
        self._require()
        return list(self._addresses)

    def _name(self) -> str:
        return "kernel heap block" if len(self.sizes) == 1 else "group of kernel heap blocks"

    def __repr__(self) -> str:
        return f"<{len(self.sizes)} kernel heap blocks, {sum(self.sizes)} bytes{', released' if self.released else ''}>"


def limit() -> int:
    """The size of the current context's heap, in bytes; 8 MiB unless set. (cuCtxGetLimit)"""
    current_context()
    return ask(cu.cuCtxGetLimit, HEAP_SIZE)


def set_limit(nbytes: int) -> int:
    """Set the size of the current context's heap, in bytes; returns the size that the driver made
    of it.

    Raises TooLate once a kernel that uses the heap was launched in this context, WrongSize for what
    is no size.
    CUDA call: cuCtxSetLimit with CU_LIMIT_MALLOC_HEAP_SIZE (CUDA Driver API, Context Management).
    """
    current_context()
    if not isinstance(nbytes, (int, np.integer)) or not 0 < nbytes < 1 << 63:
        raise WrongSize(f"{nbytes!r} is not a size: give the heap a number of bytes, such as {8 << 20}")
    try:
        do(cu.cuCtxSetLimit, HEAP_SIZE, int(nbytes))
    except CudaError as error:
        if error.name != "CUDA_ERROR_INVALID_VALUE":
            raise
        raise TooLate("a kernel has used the heap in this context, and since then its size is fixed at "
                      f"{limit()} bytes: set it before, in a fresh context or process") from error
    return limit()


def allocate(sizes: int | Iterable[int]) -> HeapBlocks:
    """Have a kernel allocate blocks of `sizes` bytes (an int or a list), one malloc each; returns
    HeapBlocks.

    Raises HeapExhausted, having freed what it got, where malloc returned a null pointer; WrongSize
    for no blocks, or one of less than a byte. (malloc in device code: CUDA C++ Programming Guide,
    Dynamic Global Memory Allocation)
    """
    sizes = [sizes] if isinstance(sizes, (int, np.integer)) else list(sizes)
    if not sizes or not all(isinstance(size, (int, np.integer)) and 0 < size < 1 << 63 for size in sizes):
        raise WrongSize(f"sizes {sizes}: ask for one or more blocks, each of 1 byte or more")
    out = cuda.mem_alloc(8 * len(sizes))
    code().heap_allocate(-(-len(sizes) // 128), 128, words(sizes), out, len(sizes))
    addresses = read(out, 8 * len(sizes)).view(np.uint64).tolist()
    if not all(addresses):
        _free([address for address in addresses if address])    # keep none of what it got
        raise HeapExhausted(f"the heap of {limit()} bytes has no room for {sum(map(int, sizes))} more: free blocks, or "
                            "set a higher limit before the first kernel that uses the heap")
    return HeapBlocks(addresses, [int(size) for size in sizes])


def free(addresses: int | Iterable[int]) -> None:
    """Have a kernel free heap blocks, each by the address that malloc gave. For blocks that your
    own kernels allocated.

    Raises WrongPointer as `bring_out_all` does. The address of another's block or an interior one
    is as wrong here as in C.
    """
    addresses = [addresses] if isinstance(addresses, (int, np.integer)) else list(addresses)
    for address in addresses:
        if heap_entry(address):
            raise WrongPointer("this block belongs to a HeapBlocks object: call its release()")
    _free(addresses)


def _free(addresses: Sequence[int]) -> None:
    if not addresses:
        return
    code().heap_free(-(-len(addresses) // 128), 128, words(addresses), len(addresses))
    cuda.Context.synchronize()


def _free_noted(context: ContextOf, addresses: list[int], entries: list[journal.Entry]) -> None:
    for entry in entries:
        journal.note_freed(entry)
    in_context(context, _free, addresses)
    for entry in entries:
        entry.unsure = device_has(entry.start)
