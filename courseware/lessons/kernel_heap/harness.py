"""Kernels for `walk` and `staging-kernel` are tried here: heap blocks are made, a kernel runs, and what it did is looked at.

It runs in the sandbox. What comes out is text and counts, never an address.
"""
from course_lib import kernel_heap, kernels
from course_lib.core.errors import Misuse

import numpy as np
import pycuda.driver as cuda

from ...exercises.values import Remark

BEHIND = 8      # bytes behind what a kernel fills, to see who writes too far
NODE_SIZE = 16
NODE = """
struct Node { long long value; Node *next; };
#line 1
"""
UNTOUCHED = 0xEEEEEEEEEEEEEEEE
ENDS_WITH_A_PAGE = 2 << 20      # bytes of memory behind which nothing is mapped, so that a kernel that never ends is stopped there


def walk(source, numbers):
    """Run the kernel `walk` on a list with these numbers; returns those in the nodes that it found, as text.

    The nodes lie in memory in another order than in the list, with blocks between them that are in no list.
    """
    kernel = kernel_of(NODE + source, "walk")
    with kernel_heap.allocate([NODE_SIZE] * (2 * len(numbers) + 1)) as blocks:
        nodes = blocks.addresses[-2:0:-2]
        full = [np.array(pair, np.uint64) for pair in zip(np.array(numbers, np.int64).astype(np.uint64), [*nodes[1:], 0])]
        for address, node in zip(nodes, full):
            kernel_heap.put_in(address, node)
        room = cuda.mem_alloc(ENDS_WITH_A_PAGE)
        found = int(room) + ENDS_WITH_A_PAGE - 8 * (len(nodes) + 1)
        cuda.memcpy_htod(found, np.full(len(nodes) + 1, UNTOUCHED, np.uint64))
        kernel(1, 1, nodes[0] if nodes else 0, found)
        cuda.Context.synchronize()
        *addresses, behind = cuda.from_device(found, len(nodes) + 1, np.uint64).tolist()
        there = kernel_heap.bring_out_all(nodes, [NODE_SIZE] * len(nodes)) if nodes else []
    if behind != UNTOUCHED:
        return Remark("more is written into `found` than there are nodes" + ", a `NULL`" * (behind == 0))
    words = {0: "NULL", UNTOUCHED: "nothing", **dict(zip(nodes, map(str, numbers)))}
    text = " ".join(words.get(address, "no node's") for address in addresses)
    changed = any(block.tobytes() != node.tobytes() for block, node in zip(there, full))
    return (text, "and the nodes were changed") if changed else text


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
