"""Lesson 04's kernels are tried here: heap blocks are made, the learner's kernel runs, and what it did is looked at.

It runs in the sandbox. What comes out is text and counts, never an address.
"""
import contextlib

from course_lib import kernel_heap, kernels
from course_lib.core.errors import Misuse, TooLate
from course_lib.core.ownership import current_context

import numpy as np
import pycuda.driver as cuda

from ..exercise import Case
from ..values import Told

BEHIND = 8      # bytes behind the staging memory, to see who writes too far

MIB = 1 << 20
FIXED = 16 * MIB        # what the heap has before an answer is tried
OTHER_LIMITS = cuda.limit.STACK_SIZE, cuda.limit.PRINTF_FIFO_SIZE

LOOK = """
__global__ void look(char **blocks, char *first) {
    char *block = blocks[threadIdx.x];
    first[threadIdx.x] = block ? *block : '.';
}
__global__ void try_malloc(const unsigned long long *sizes, char **given) {     // leaves no 'x' in what malloc will give
    char *block = given[threadIdx.x] = (char *) malloc(sizes[threadIdx.x]);
    if (block) { *block = '?'; free(block); }
}
"""


def stage(source, contents, threads):
    """Run the kernel `stage` on heap blocks with these contents (texts); returns what the staging memory holds then."""
    kernel = _kernel(source, "stage")
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


def allocate(source, sizes):
    """Run the kernel `allocate`, on a heap that nobody has used: what it allocates is not freed. Returns (the first byte of each block,
    "." where there is none; the count). Where all sizes are equal, nothing says whose block fits: the bytes are in order then."""
    with contextlib.ExitStack() as stack:
        _own_context(stack)
        return _allocate(source, sizes)


def _own_context(stack):
    """A context that goes with the stack, current until then."""
    current_context()
    context = cuda.Device(0).make_context()
    stack.callback(context.detach)
    stack.callback(context.pop)


def _allocate(source, sizes):
    kernel, mine = _kernel(source, "allocate"), kernels.compile(LOOK)
    asked = cuda.to_device(np.array(sizes, np.uint64))
    blocks, failed = cuda.to_device(np.zeros(len(sizes), np.uint64)), cuda.to_device(np.zeros(1, np.int32))
    first = cuda.to_device(np.zeros(len(sizes), np.uint8))
    again = cuda.to_device(np.zeros(len(sizes), np.uint64))
    mine.try_malloc(1, len(sizes), asked, again)
    kernel(1, len(sizes), asked, blocks, failed)
    mine.try_malloc(1, len(sizes), asked, again)
    cuda.Context.synchronize()
    kept, given_out = (set(cuda.from_device(where, len(sizes), np.uint64).tolist()) - {0} for where in (blocks, again))
    if kept & given_out:        # nothing else tells: a GPU lets a kernel read a freed block, 'x' and all
        return Told("a block was freed, and is given out again")
    mine.look(1, len(sizes), blocks, first)
    cuda.Context.synchronize()
    found = cuda.from_device(first, len(sizes), np.uint8).tobytes().decode("latin-1")
    return "".join(sorted(found)) if len(set(sizes)) == 1 else found, int(cuda.from_device(failed, 1, np.int32)[0])


def _kernel(source, name):
    try:
        return getattr(kernels.compile(source), name)
    except AttributeError as error:
        raise Misuse(str(error)) from None


def limits(stack):
    """Cases in a context of their own: first the heap has not been used, then it has. The driver says what is right."""
    _own_context(stack)
    for what, nbytes, hidden in (("a heap of 64 MiB", 64 * MIB, False), ("a heap of 1000 bytes", 1000, False),
                                 ("a heap of 4 MiB", 4 * MIB, True), ("a heap of 5 MiB", 5 * MIB, True)):
        yield Case(what, (nbytes, False), kernel_heap.set_limit(nbytes), hidden, f"heap_of({nbytes})")
    for what, nbytes in (("a larger heap, after a kernel has used it", 64 * MIB),
                         ("a smaller heap, after a kernel has used it", 4 * MIB)):
        yield Case(what, (nbytes, True), FIXED, True, f"heap_of({nbytes})")


def heap_of(answer, nbytes, used):
    """What `answer` says of the heap's size, and in words where the heap is another than that."""
    with contextlib.suppress(TooLate):
        kernel_heap.set_limit(FIXED)
    if used:
        kernel_heap.allocate(16).release()
    before = [cuda.Context.get_limit(limit) for limit in OTHER_LIMITS]
    got, there = answer(nbytes), kernel_heap.limit()
    if before != [cuda.Context.get_limit(limit) for limit in OTHER_LIMITS]:
        return Told(f"{got}, and another limit than the heap's was set")
    if isinstance(got, (int, np.integer)) and got != there:
        return Told(f"{got}, and the heap has {there} bytes")
    return got

