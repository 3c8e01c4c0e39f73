"""The kernel of `staging-kernel` is tried here: heap blocks are made, the learner's kernel runs, and what it did is looked at.

It runs in the sandbox. What comes out is text and counts, never an address.
"""
from course_lib import kernel_heap, kernels
from course_lib.core.errors import Misuse

import numpy as np
import pycuda.driver as cuda

from ...exercises.values import Remark

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
        full = {address: content.encode() for address, content in zip(blocks.addresses, contents) if content}
        for address, content in full.items():
            kernel_heap.put_in(address, content)
        addresses = cuda.to_device(np.array(blocks.addresses, np.uint64))
        kernel(1 if alone else len(contents), threads, addresses, cuda.to_device(offsets), staging)
        cuda.Context.synchronize()
        there = kernel_heap.bring_out_all(list(full), list(map(len, full.values()))) if full else []
        changed = [block.tobytes() for block in there] != list(full.values())
    staged = cuda.from_device(staging, int(offsets[-1]) + BEHIND, np.uint8).tobytes().decode("latin-1")
    if staged[-BEHIND:] != "." * BEHIND:        # on a GPU with whatever lies behind the blocks of the heap
        return Remark("bytes behind the end of the staging memory are changed")
    return (staged, "and the blocks of the heap were changed") if changed else staged


SHARED = "each thread takes its share"
AS_ANOTHER = """
__device__ unsigned acts_as;
#define threadIdx (uint3{acts_as, 0, 0})
#define blockDim (dim3(%d, 1, 1))
#line 1
"""     # a thread that is launched alone takes itself for another of a group


def _shares(source, nbytes, threads):
    """How the threads share the bytes of one block: some are launched alone, and what each has copied is looked at."""
    kernel_of(source, "stage")
    code = kernels.compile(AS_ANOTHER % threads + source)
    block, staging, numbers = cuda.mem_alloc(nbytes), cuda.mem_alloc(nbytes), np.arange(threads, dtype=np.uint32)
    blocks, offsets = cuda.to_device(np.array([int(block)], np.uint64)), cuda.to_device(np.array([0, nbytes], np.int32))
    cuda.memset_d8(block, 7, nbytes)
    for thread in (5, 0, threads - 1):
        cuda.memset_d8(staging, 0, nbytes)
        cuda.memcpy_htod(code.variable("acts_as")[0], numbers[thread:thread + 1])
        code.stage(1, 1, blocks, offsets, staging)
        copied = np.flatnonzero(cuda.from_device(staging, nbytes, np.uint8)).tolist()
        if copied != list(range(thread, nbytes, threads)):
            few = f"the bytes {', '.join(map(str, copied[:3]))}{', ...' * (len(copied) > 3)}" if copied else "no byte"
            share = ", ".join(str(thread + step * threads) for step in range(3))
            return Remark(f"thread {thread} of {threads} takes {few}, and should take {share}, ...")
    return SHARED


def kernel_of(source, name):
    """A kernel of the learner's source, by its name. Raises Misuse where there is none."""
    try:
        return getattr(kernels.compile(source), name)
    except AttributeError as error:
        raise Misuse(str(error)) from None
