"""The staging copy: how the content of the kernels' heap reaches the host, and the host's data the
heap.

The host's copies refuse a kernel's pointer. A kernel may follow it, so a kernel copies the content
into *staging* memory from cuMemAlloc, and the host copies that. For several blocks, the staging
memory holds one after the other: the prefix sums of the sizes say where each begins.

Use these functions as ``kernel_heap.bring_out`` and so on. Not here: allocating and freeing
(__init__.py).
"""
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pycuda.driver as cuda

from .. import kernels
from ..core import journal
from ..core.address import address_of
from ..core.errors import WrongPointer, WrongSize
from ..core.ownership import ContextOf, current_context
from ..pointers.address_facts import Kind, device_has, facts

SOURCE = """
typedef unsigned long long word;

__global__ void heap_allocate(const word *sizes, word *addresses, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) addresses[i] = (word) malloc(sizes[i]);
}
__global__ void heap_free(const word *addresses, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) free((void *) addresses[i]);
}
// The staging copy, out of the heap or into it. Block b of the grid copies the b-th block of the heap; in the staging
// memory they lie one after the other, the b-th from offsets[b] to offsets[b + 1] (prefix sums of the sizes).
__global__ void heap_stage(const word *addresses, const word *offsets, char *staging, int into_heap) {
    char *block = (char *) addresses[blockIdx.x], *staged = staging + offsets[blockIdx.x];
    word nbytes = offsets[blockIdx.x + 1] - offsets[blockIdx.x];
    for (word i = threadIdx.x; i < nbytes; i += blockDim.x)
        if (into_heap) block[i] = staged[i];
        else staged[i] = block[i];
}
// Follows a linked list from its head: the address of the next node is `next_at` bytes into each node.
__global__ void heap_walk(word node, word next_at, word *addresses, int most, int *count) {
    for (*count = 0; node && *count < most; node = *(word *) (node + next_at)) addresses[(*count)++] = node;
    if (node) *count = -1;
}
"""


def bring_out(address: Any, nbytes: int) -> np.ndarray:
    """Copy `nbytes` bytes from a heap address to the host; returns a NumPy array of uint8. See
    `bring_out_all`."""
    return bring_out_all([address], [nbytes])[0]


def bring_out_all(addresses: Sequence[Any], sizes: Sequence[int]) -> list[np.ndarray]:
    """Copy blocks of different lengths out of the heap in one staging copy; returns a list of
    arrays of uint8.

    addresses: heap addresses, of any kernel's malloc; interior ones too
    sizes:     of each, in bytes

    Raises WrongPointer where the driver knows an address (then copy it directly), or where it was
    freed; WrongSize beyond the end of a block that `allocate` made. How large a block of your own
    kernel is, nobody can tell: to read beyond its end is as wrong as in C.

    CUDA calls: cuMemAlloc, cuLaunchKernel, cuMemcpyDtoH.
    """
    return _staged(addresses, _checked_offsets(addresses, sizes))


def put_in(address: Any, data: Any) -> None:
    """Copy bytes, or a NumPy array, from the host to a heap address, by a staging copy the other
    way."""
    data = np.frombuffer(data, np.uint8) if not isinstance(data, np.ndarray) else np.ascontiguousarray(data)
    offsets = _checked_offsets([address], [data.nbytes])
    staging = cuda.to_device(data)
    code().heap_stage(1, 256, words([address]), words(offsets), staging, 1)
    cuda.Context.synchronize()


def bring_out_list(head: Any, next_at: int, nbytes: int, most: int = 65536) -> list[np.ndarray]:
    """Copy a linked list out of the heap; returns a list of arrays of uint8, one for each node.

    head:    address of the first node; 0 for an empty list
    next_at: where in a node the address of the next one is, in bytes; 0 there ends the list
    nbytes:  size of a node, in bytes
    most:    raises WrongSize for a list of more nodes, or one that never ends
    """
    if not address_of(head):
        return []
    _checked_offsets([head], [nbytes])
    if next_at % 8 or not 0 <= next_at <= nbytes - 8:
        raise WrongSize(f"next_at = {next_at}: a pointer has 8 bytes at a multiple of 8, inside the {nbytes} bytes of "
                        "a node")
    addresses, count = cuda.mem_alloc(8 * most), cuda.mem_alloc(4)
    code().heap_walk(1, 1, int(head), next_at, addresses, most, count)
    length = int(read(count, 4).view(np.int32)[0])
    if length < 0:
        raise WrongSize(f"the list has more than {most} nodes, or runs in a circle: give a larger `most`, or look for "
                        "the circle")
    nodes = read(addresses, 8 * length).view(np.uint64).tolist()
    return _staged(nodes, np.arange(length + 1) * nbytes)


_codes: dict[ContextOf, kernels.Kernels] = {}


def code() -> kernels.Kernels:
    """This module's kernels, in the current context."""
    context = current_context()
    if context not in _codes:
        for gone in [loaded_in for loaded_in in _codes if not loaded_in.alive]:
            del _codes[gone]
        _codes[context] = kernels.compile(SOURCE)
    return _codes[context]


def words(values: Iterable[Any]) -> cuda.DeviceAllocation:
    """Numbers of 64 bits, in memory that a kernel can read."""
    return cuda.to_device(np.array([address_of(value) for value in values], np.uint64))


def read(device: cuda.DeviceAllocation, nbytes: int) -> np.ndarray:
    """`nbytes` bytes of device memory, as an array of uint8. (cuMemcpyDtoH)"""
    host = np.empty(nbytes, np.uint8)
    cuda.memcpy_dtoh(host, device)
    return host


def _staged(addresses: Sequence[Any], offsets: np.ndarray) -> list[np.ndarray]:
    """The staging copy itself, of blocks that lie in the staging memory from offsets[b] to
    offsets[b + 1]."""
    staging = cuda.mem_alloc(int(offsets[-1]))
    code().heap_stage(len(addresses), 256, words(addresses), words(offsets), staging, 0)
    return np.split(read(staging, int(offsets[-1])), offsets[1:-1])


def heap_entry(address: Any) -> journal.Entry | None:
    """The journal's entry for a heap address, None for one of your own kernels'. Raises
    WrongPointer for any other."""
    kind, entry = facts(address).kind, journal.find(address_of(address))
    if kind is Kind.KERNEL_HEAP:
        return entry if entry and entry.kind == kind.value and entry.alive else None
    if kind is Kind.FREED and entry and entry.unsure and entry.context_alive:    # a kernel may have been given it again
        return None
    if kind is Kind.UNKNOWN and not _driver_tells_heap_addresses():
        return None
    instead = "copy it directly (cuMemcpyDtoH): it needs no staging" if kind in (Kind.DEVICE, Kind.MAPPED) else \
        "the host can use it as it is" if kind in (Kind.PAGEABLE, Kind.PINNED, Kind.HOST_POOL, Kind.REGISTERED, Kind.MANAGED) else \
        "take an address that malloc in a kernel returned"
    if kind is Kind.NULL:
        raise WrongPointer("this is the null pointer: malloc had no room, or nothing was allocated yet")
    raise WrongPointer(f"this address is not in the kernel heap ({kind.value}): {instead}")


def _driver_tells_heap_addresses() -> bool:
    """Is an address of the heap known by `device_has`? That rests on what one driver was seen to answer."""
    out = cuda.mem_alloc(8)
    code().heap_allocate(1, 1, words([16]), out, 1)
    [address] = read(out, 8).view(np.uint64)
    recognised = bool(address) and device_has(int(address))
    code().heap_free(1, 1, out, 1)
    return recognised


def _checked_offsets(addresses: Sequence[Any], sizes: Sequence[int]) -> np.ndarray:
    """Where each block starts in the staging memory, and where the last one ends: prefix sums of
    the sizes."""
    if len(addresses) != len(sizes) or not len(sizes):
        raise WrongSize(f"{len(addresses)} addresses and {len(sizes)} sizes: give one size, in bytes, for each address")
    for address, size in zip(addresses, sizes):
        entry = heap_entry(address)
        room = entry.start + entry.nbytes - address_of(address) if entry else 1 << 62
        if not 0 < size <= room:
            instead = f"from this address on, the block has {room}" if size > 0 else "ask for 1 or more"
            raise WrongSize(f"{size} bytes: {instead}")
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
