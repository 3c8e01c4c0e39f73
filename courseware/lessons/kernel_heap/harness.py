"""The kernel of `staging-kernel` is tried here: heap blocks are made, the learner's kernel runs, and what it did is looked at.

It runs in the sandbox. What comes out is text and counts, never an address.
"""
from course_lib import kernel_heap, kernels
from course_lib.core.errors import Misuse

import numpy as np
import pycuda.driver as cuda

from ...exercises.values import Told

BEHIND = 8      # bytes behind the staging memory, to see who writes too far


def stage(source, contents, threads):
    """Run the kernel `stage` on heap blocks with these contents (texts); returns what the staging memory holds then."""
    kernel = kernel_of(source, "stage")
    offsets = np.cumsum([0, *map(len, contents)]).astype(np.int32)
    staging = cuda.to_device(np.full(int(offsets[-1]) + BEHIND, ord("."), np.uint8))
    with kernel_heap.allocate([max(len(content), 1) for content in contents]) as blocks:
        for address, content in zip(blocks.addresses, contents):
            if content:
                kernel_heap.put_in(address, content.encode())
        addresses = cuda.to_device(np.array(blocks.addresses, np.uint64))
        kernel(len(contents), threads, addresses, cuda.to_device(offsets), staging)
        cuda.Context.synchronize()
        changed = any(kernel_heap.bring_out(address, len(content)).tobytes() != content.encode()
                      for address, content in zip(blocks.addresses, contents) if content)
    staged = cuda.from_device(staging, int(offsets[-1]) + BEHIND, np.uint8).tobytes().decode("latin-1")
    if staged[-BEHIND:] != "." * BEHIND:        # on a GPU with whatever lies behind the blocks of the heap
        return Told("bytes behind the end of the staging memory are changed")
    return (staged, "and the blocks of the heap were changed") if changed else staged


def kernel_of(source, name):
    """A kernel of the learner's source, by its name. Raises Misuse where there is none."""
    try:
        return getattr(kernels.compile(source), name)
    except AttributeError as error:
        raise Misuse(str(error)) from None
