"""Answers to the exercises of this side trip are tried here: a kernel that allocates, and a function that asks for a heap.

They run in the sandbox, in contexts of their own: a heap has one size for as long as its context lives. What comes out is
text and counts, never an address.
"""
import contextlib

from course_lib import kernel_heap, kernels
from course_lib.core.errors import TooLate
from course_lib.core.ownership import current_context

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu, runtime

from ...exercises.exercise import Case
from ...exercises.values import Remark
from ...exercises.watching import watched
from ..kernel_heap.harness import kernel_of

MIB = 1 << 20
FIXED = 16 * MIB        # what the heap has before an answer is tried
ROOM = 300 << 10        # bytes of a block that still fits, if all sizes are small
EARLIER = 3             # failures that are counted already: a kernel counts more
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
__global__ void fill(unsigned long long nbytes) {         // with blocks of so many bytes; then one of them is free again
    void *last = nullptr;
    while (void *block = malloc(nbytes)) last = block;
    free(last);
}
"""


def allocate(source, sizes):
    """Run the kernel `allocate`, on a heap that nobody has used, in which one block of 300 KiB is free if all sizes are small.

    Returns (the first byte of each block, "." where there is none; the count). Where all sizes are equal, nothing says
    whose block fits: the bytes are in order then.
    """
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
    kernel, mine = kernel_of(source, "allocate"), kernels.compile(LOOK)
    sizes_on_device = cuda.to_device(np.array(sizes, np.uint64))
    nobody_stored = cuda.to_device(np.frombuffer(b"!", np.uint8))
    blocks = cuda.to_device(np.full(len(sizes), int(nobody_stored), np.uint64))     # what an answer leaves, shows as a "!"
    failed = cuda.to_device(np.full(1, EARLIER, np.int32))
    first_bytes = cuda.to_device(np.zeros(len(sizes), np.uint8))
    again = cuda.to_device(np.zeros(len(sizes), np.uint64))
    if max(sizes) < MIB:
        mine.fill(1, 1, np.uint64(ROOM))
    mine.try_malloc(1, len(sizes), sizes_on_device, again)
    kernel(1, len(sizes), sizes_on_device, blocks, failed)
    mine.try_malloc(1, len(sizes), sizes_on_device, again)
    cuda.Context.synchronize()
    allocated, given_out = (set(cuda.from_device(where, len(sizes), np.uint64).tolist()) - {0} for where in (blocks, again))
    if allocated & given_out:        # nothing else tells: a GPU lets a kernel read a freed block, 'x' and all
        return Remark("a block was freed, and is given out again")
    mine.look(1, len(sizes), blocks, first_bytes)
    cuda.Context.synchronize()
    letters = cuda.from_device(first_bytes, len(sizes), np.uint8).tobytes().decode("latin-1")
    count = int(cuda.from_device(failed, 1, np.int32)[0]) - EARLIER
    if count < 0:
        return Remark(f"`*failed` was {EARLIER} before, and is {count + EARLIER} now: it is set, and not counted up")
    return "".join(sorted(letters)) if len(set(sizes)) == 1 else letters, count


def limits(stack):
    """Cases in a context of their own: first the heap has not been used, then it has. The driver says what is right."""
    _own_context(stack)
    for description, nbytes, hidden in (("a heap of 64 MiB", 64 * MIB, False), ("a heap of 1000 bytes", 1000, False),
                                        ("a heap of 4 MiB", 4 * MIB, True), ("a heap of 5 MiB", 5 * MIB, True),
                                        ("a heap of 5 MiB and a byte", 5 * MIB + 1, True), ("a heap of 2**40 bytes", 1 << 40, True)):
        yield Case(description, (nbytes, False), kernel_heap.set_limit(nbytes), hidden, f"heap_of({nbytes})")
    for description, nbytes in (("a larger heap, after a kernel has used it", 64 * MIB),
                                ("a smaller heap, after a kernel has used it", 4 * MIB)):
        yield Case(description, (nbytes, True), FIXED, True, f"heap_of({nbytes})")


def heap_of(answer, nbytes, used):
    """What `answer` says of the heap's size, and in words where the heap is another than that."""
    with contextlib.suppress(TooLate):
        kernel_heap.set_limit(FIXED)
    if used:
        kernel_heap.allocate(16).release()
    before = [cuda.Context.get_limit(limit) for limit in OTHER_LIMITS]
    with (watched(answer, kernel_heap, "set_limit", "limit") as by_helper, watched(answer, cu, "cuCtxSetLimit") as by_driver,
          watched(answer, runtime, "cudaDeviceSetLimit") as by_runtime, _asked_for() as sizes):
        got = answer(nbytes)
    there = kernel_heap.limit()
    if by_helper:
        return Remark(f"{got}, by `kernel_heap`, which is not to be used here")
    if by_driver or by_runtime:
        return Remark(f"{got}, by `{(by_driver + by_runtime)[0][0]}`, and not by `cuda.Context.set_limit`")
    if before != [cuda.Context.get_limit(limit) for limit in OTHER_LIMITS]:
        return Remark(f"{got}, and another limit than the heap's was set")
    if set(sizes) - {nbytes}:
        return Remark(f"{got}, and a heap of {min(set(sizes) - {nbytes})} bytes was asked for as well")
    if len(sizes) > 1:
        return Remark(f"{got}, and this size was asked for {len(sizes)} times")
    if isinstance(got, (int, np.integer)) and got != there:
        return Remark(f"{got}, and the heap has {there} bytes")
    return got


@contextlib.contextmanager
def _asked_for():
    """Inside, the list that this gives holds each size that `cuda.Context.set_limit` is asked for."""
    before, set_limit, sizes = vars(cuda.Context)["set_limit"], cuda.Context.set_limit, []

    def noting(limit, nbytes):
        sizes.append(nbytes)
        set_limit(limit, nbytes)
    cuda.Context.set_limit = staticmethod(noting)
    try:
        yield sizes
    finally:
        cuda.Context.set_limit = before
