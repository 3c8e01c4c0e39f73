"""The kernel of `staging-kernel` is tried here: heap blocks are made, the learner's kernel runs, and what it did is looked at.

It runs in the sandbox. What comes out is text and counts, never an address.
"""
from course_lib import kernel_heap, kernels
from course_lib.core.errors import Misuse

import numpy as np
import pycuda.driver as cuda

from ...exercises.examined import counted
from ...exercises.values import Told

BEHIND = 8      # bytes behind the staging memory, to see who writes too far


ALONE = """
#define blockIdx (uint3{1, 0, 0})
#define gridDim (dim3(3, 1, 1))
#line 1
"""     # a group that is launched alone takes itself for the second of three


def stage(source, contents, threads, alone=False):
    """Run the kernel `stage` on heap blocks with these contents (texts); returns what the staging memory holds then.

    alone: of three groups launch the second alone, which copies its block, and no other
    """
    if isinstance(contents[0], int):
        return _shares(source, *contents, threads)
    kernel = kernel_of(ALONE * alone + source, "stage")
    offsets = np.cumsum([0, *map(len, contents)]).astype(np.int32)
    staging = cuda.to_device(np.full(int(offsets[-1]) + BEHIND, ord("."), np.uint8))
    with kernel_heap.allocate([max(len(content), 1) for content in contents]) as blocks:
        for address, content in zip(blocks.addresses, contents):
            if content:
                kernel_heap.put_in(address, content.encode())
        addresses = cuda.to_device(np.array(blocks.addresses, np.uint64))
        kernel(1 if alone else len(contents), threads, addresses, cuda.to_device(offsets), staging)
        cuda.Context.synchronize()
        changed = any(kernel_heap.bring_out(address, len(content)).tobytes() != content.encode()
                      for address, content in zip(blocks.addresses, contents) if content)
    staged = cuda.from_device(staging, int(offsets[-1]) + BEHIND, np.uint8).tobytes().decode("latin-1")
    if staged[-BEHIND:] != "." * BEHIND:        # on a GPU with whatever lies behind the blocks of the heap
        return Told("bytes behind the end of the staging memory are changed")
    return (staged, "and the blocks of the heap were changed") if changed else staged


SHARED = "every thread takes its share, and neighbours write side by side"


def _shares(source, nbytes, threads):
    """How the threads share the bytes of one block."""
    kernel_of(source, "stage")
    accesses = counted("Transactions", ("access", "requests", "transactions", "bytes_wanted"), _stage_plain, source, nbytes, threads)
    written = [access[2:] for access in accesses if access[1] == "write"]
    requests, sectors, wanted = map(sum, zip(*written)) if written else (0, 0, 0)
    if wanted > nbytes:
        return Told(f"a byte is written by more than one thread: {wanted} writes, where {nbytes} are enough")
    if requests > -(-nbytes // threads):
        return Told(f"some threads write, and others have nothing to do: {requests} rounds, where {-(-nbytes // threads)} are enough")
    if sectors > 2 * requests:
        return Told("neighbouring threads write far apart")
    # The memory begins with a sector, and so does each round of 32 bytes, if thread 0 takes the first of them.
    return Told("thread 0 does not take the first byte of each round, so other threads take the byte `i`") if sectors > requests else SHARED


def _stage_plain(source, nbytes, threads):
    """Launch `stage` on a single block, in memory that no kernel allocated: nothing else writes then."""
    block, staging = cuda.mem_alloc(nbytes), cuda.mem_alloc(nbytes)
    blocks, offsets = cuda.to_device(np.array([int(block)], np.uint64)), cuda.to_device(np.array([0, nbytes], np.int32))
    cuda.memset_d8(block, 7, nbytes)
    kernel_of(source, "stage")(1, threads, blocks, offsets, staging)
    cuda.Context.synchronize()


def kernel_of(source, name):
    """A kernel of the learner's source, by its name. Raises Misuse where there is none."""
    try:
        return getattr(kernels.compile(source), name)
    except AttributeError as error:
        raise Misuse(str(error)) from None
