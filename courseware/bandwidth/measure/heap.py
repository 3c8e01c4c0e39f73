"""How many blocks a second kernels allocate and free on their heap: one malloc, one free for each thread.

Each block gets its number written into it, and a second kernel looks for it: no two blocks may be one.
"""
from course_lib import kernel_heap, kernels, pinned

import numpy as np
import pycuda.driver as cuda

from .job import Job, powers

METHOD = {
    "kernel heap": "One kernel in which each thread calls malloc(64), and one in which each calls free, each between "
                   "two events. The heap has 64 MiB.",
}
BLOCK, HEAP, THREADS = 64, 64 << 20, 256

SOURCE = """
typedef unsigned long long word;
__global__ void take(word **blocks, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) blocks[i] = (word *) malloc(BLOCK);
}
__global__ void mark(word **blocks, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && blocks[i]) for (int k = 0; k < BLOCK / 8; k++) blocks[i][k] = i;
}
__global__ void look(word **blocks, int n, int *wrong) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bool right = blocks[i];
    if (right) for (int k = 0; k < BLOCK / 8; k++) right = right && blocks[i][k] == i;
    if (!right) atomicAdd(wrong, 1);
}
__global__ void give_back(word **blocks, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) free(blocks[i]);
}
"""


def jobs(effort):
    """The jobs of this module's experiment."""
    for what in ("malloc", "free"):
        yield Job("kernel heap", what, "kernel heap", "kernel", powers(256, 65536, max(4, effort.step)), heap,
                  lambda x: (0, HEAP), lambda x: 0.1, nbytes=BLOCK)


def heap(bench, job, xs):
    """Millions of calls a second, for each number of blocks."""
    if kernel_heap.limit() < HEAP:      # in the bench's own context, so that the learner's heap stays as it is
        kernel_heap.set_limit(HEAP)
    with kernels.compile(SOURCE.replace("BLOCK", str(BLOCK))) as code, pinned.allocate(1, np.int32) as wrong:
        for count in xs:
            samples = [_sample(bench, code, wrong, count) for _ in range(bench.effort.samples + 1)]
            yield [count / seconds[job.what] / 1e6 for seconds in samples[1:]]     # the first warms up


def _sample(bench, code, wrong, count):
    """Seconds of the two kernels: {"malloc": ..., "free": ...}."""
    grid, stream, blocks = -(-count // THREADS), bench.stream, cuda.mem_alloc(8 * count)
    events = [cuda.Event() for _ in range(4)]
    wrong.array[0] = 0
    try:
        with bench.gate.closed(stream):
            events[0].record(stream)
            code.take(grid, THREADS, blocks, count, stream=stream)
            events[1].record(stream)
            code.mark(grid, THREADS, blocks, count, stream=stream)
            code.look(grid, THREADS, blocks, count, wrong, stream=stream)
            events[2].record(stream)
            code.give_back(grid, THREADS, blocks, count, stream=stream)
            events[3].record(stream)
        stream.synchronize()
    finally:
        blocks.free()
    if wrong.array[0]:
        raise kernel_heap.HeapExhausted(f"of {count} blocks that threads allocated, {wrong.array[0]} are none, or "
                                        "another's")
    return {"malloc": bench.clock.apart(*events[:2]) / 1e3, "free": bench.clock.apart(*events[2:]) / 1e3}
