"""Answers to the exercises of this lesson are tried here, in the sandbox, with memory made for them. No address leaves it.

What should come is asked of the driver at hand, by calls of this module's own.
"""
import contextlib
import sys
import threading
import time

from course_lib import kernels, pinned
from course_lib.core.errors import ask, do
from course_lib.core.ownership import current_context

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu, runtime

from ...exercises.exercise import Case
from ...exercises.reading import shows
from ...exercises.values import Remark
from ...exercises.watching import watched
from ...held_streams.filling import source_address

SMALL, MIB4 = 4 << 10, 4 << 20
SUCCESS = cu.CUresult.CUDA_SUCCESS


# unasked --------------------------------------------------------------------------------------------------------------

def every_combination(stack):
    """A Case for each combination of the flags 1, 2 and 4."""
    current_context()
    for flags in (0, 2, 4, 1, 3, 5, 6, 7):
        address = ask(cu.cuMemHostAlloc, MIB4, flags)
        beyond = ask(cu.cuMemHostGetFlags, address) & ~flags
        do(cu.cuMemFreeHost, address)
        description, hidden = f"the flags {flags}" if flags else "no flags", flags not in (0, 2)
        yield Case(description, (flags,), beyond, hidden, f"unasked({flags})")


def unasked(answer, flags):
    """The learner's number; in a sentence, where it was not asked of memory with these flags, or that was not freed.

    A portable piece is there meanwhile: a block that is cut from it tells the piece's flags, not its own.
    """
    with (pinned.allocate(SMALL, flags="portable"), watched(answer, cu, "cuMemHostAlloc", "cuMemAllocHost") as by_driver,
          watched(answer, runtime, "cudaHostAlloc", "cudaMallocHost") as by_runtime,
          watched(answer, cuda, "pagelocked_empty", "pagelocked_zeros") as by_pycuda,
          watched(answer, runtime, "cudaFreeHost") as freed_otherwise, watched(answer, cu, "cuMemHostGetFlags") as questions):
        got = answer(flags)
        by_driver += by_runtime
        sizes = [int(arguments[0]) for _, arguments, _ in by_driver] + [array.nbytes for _, _, array in by_pycuda]
        allocations = [(int(arguments[1]) if name.endswith("HostAlloc") else 0, int(address))
                       for name, arguments, (error, address) in by_driver if not int(error)]
        # PyCUDA's are called as (shape, dtype, order, mem_flags); by keyword the order may be missing
        allocations += [(int(arguments[-1]) if len(arguments) > 2 else 0, array.ctypes.data) for _, arguments, array in by_pycuda]
        addresses = {address for flagged, address in allocations if flagged == flags}
        queried = bool(by_pycuda or questions)      # PyCUDA's arrays have a method that asks
        asked_others = bool(questions) and not any(int(arguments[0]) in addresses for _, arguments, _ in questions)
        by_pycuda.clear()       # it holds the arrays, which own the memory
    if not isinstance(got, (int, np.integer)):
        return got
    if not allocations and all(shows(answer, word) for word in ("ctypes", "HostAlloc", "GetFlags", "FreeHost")):
        return got      # nobody watches what ctypes calls
    if not allocations:
        return Remark(f"{got}, and no call of PyCUDA or cuda-bindings allocated pinned memory")
    if all(asked_flags != flags for asked_flags, _ in allocations):
        return Remark(f"{got}, of memory that was asked for with the flags {allocations[-1][0]}")
    if MIB4 not in sizes:
        return Remark(f"{got}, of {sizes[-1]} bytes, and not of 4 MiB")
    if not queried:
        return Remark(f"{got}, and the driver was not asked by `cuMemHostGetFlags`")
    if asked_others:
        return Remark(f"{got}, and the driver was asked about other memory than what these flags are of")
    still_allocated = [address for _, address in allocations if cu.cuMemHostGetFlags(address)[0] == SUCCESS]
    if still_allocated:
        return Remark(f"{got}, and the memory is still allocated")
    return Remark(f"{got}, and the memory was not freed by `cuMemFreeHost`") if freed_otherwise else got


# staged_copy ----------------------------------------------------------------------------------------------------------

HOLD = "__global__ void hold(volatile int *go) { while (*go == 0) { } }"
SECONDS = 0.25      # until the stream goes on by itself, for who waits by another call than `synchronize`
BEHIND, UNTOUCHED = 8, 0xEE


class HeldStream(cuda.Stream):
    """A stream that is held up by a kernel: whatever is given to it waits until somebody waits for it."""

    def __init__(self):
        super().__init__()
        self.go, self.kernel, self.timer = pinned.allocate(1, np.int32), kernels.compile(HOLD).hold, None
        self.hold()

    def hold(self):
        """From here on the stream stands still."""
        if self.timer:
            self.timer.cancel()
        self.go.array[0] = 0
        self.kernel(1, 1, self.go, stream=self)
        self.timer = threading.Timer(SECONDS, self.let_go)
        self.timer.daemon = True
        self.timer.start()

    def let_go(self):
        """The stream goes on."""
        self.timer.cancel()
        self.go.array[0] = 1

    def synchronize(self):
        """Wait, as every stream does; and then it is held again."""
        self.finish()
        self.hold()

    def finish(self):
        """Wait, and hold it no more."""
        self.let_go()
        super().synchronize()


def staged_copy(answer, nbytes, room):
    """Which pieces arrive on the device when `answer` copies `nbytes` bytes by a buffer of `room` bytes: "1 2 3"."""
    current_context()
    source = np.random.default_rng(nbytes).integers(0, 200, nbytes, np.uint8)
    target = cuda.to_device(np.full(nbytes + BEHIND, UNTOUCHED, np.uint8))
    unheld, copied = cuda.Stream(1), pinned.allocate(nbytes + BEHIND)      # CU_STREAM_NON_BLOCKING

    def arrived():
        """The bytes at `target` now. The held stream is not waited for."""
        cuda.memcpy_dtoh_async(copied.array, target, unheld)
        unheld.synchronize()
        return copied.array.copy()

    with pinned.allocate(room) as staging, copied:
        staging.array[:] = UNTOUCHED
        stream = HeldStream()
        try:
            # Held again before each copy: an event that was recorded earlier comes before it, and to wait for that is not to wait for it.
            with (_without_sleep(answer), watched(answer, cuda, "memcpy_htod_async", before=stream.hold),
                  watched(answer, cu, "cuMemcpyHtoDAsync", "cuMemcpyAsync", before=stream.hold)):
                answer(source, int(target), staging.array, stream)
            early = arrived()
        finally:
            stream.finish()
        late, used = arrived(), (staging.array != UNTOUCHED).any()
    result = _pieces(late[:nbytes], source, room)
    right = result == _pieces(source, source, room)
    if (late[nbytes:] != UNTOUCHED).any():
        result += ", and bytes behind the end"
    elif nbytes and not used:
        result += ", and the buffer was never filled"
    elif right and (early != late).any():
        result += ", but not all of it before the function returned"
    elif right:
        result += _differs_at_once(answer, source, room)
    return Remark(result)


@contextlib.contextmanager
def _without_sleep(answer):
    """Inside, the answer's own `time.sleep` takes no time: how long a copy takes is not known, so to sleep is not to wait for it."""
    file, sleep = getattr(getattr(answer, "__code__", None), "co_filename", ""), time.sleep

    def shorter(seconds):
        sleep(0 if sys._getframe(1).f_code.co_filename == file else seconds)
    names = getattr(answer, "__globals__", {})
    theirs = [name for name, value in names.items() if value is sleep]
    time.sleep = shorter
    names.update(dict.fromkeys(theirs, shorter))
    try:
        yield
    finally:
        time.sleep = sleep
        names.update(dict.fromkeys(theirs, sleep))


def _differs_at_once(answer, source, room):
    """What is wrong where copies wait for nothing, and find what is there when they are asked for; or with their source or stream."""
    target, stream = cuda.to_device(np.full(len(source), UNTOUCHED, np.uint8)), cuda.Stream()
    with pinned.allocate(room) as staging:
        staging.array[:] = UNTOUCHED
        with (watched(answer, cuda, "memcpy_htod_async", after=stream.synchronize) as by_pycuda,
              watched(answer, cu, "cuMemcpyHtoDAsync", "cuMemcpyAsync", after=stream.synchronize) as by_driver,
              watched(answer, cuda, "memcpy_htod") as not_by_stream, watched(answer, cu, "cuMemcpyHtoD", "cuMemcpy") as nor_these,
              watched(answer, runtime, "cudaMemcpy") as nor_by_runtime):
            answer(source.copy(), int(target), staging.array, stream)
        stream.synchronize()
        buffer = range(staging.host_address, staging.host_address + room)
        beside = any(source_address(arguments[1]) not in buffer for _, arguments, _ in (*by_pycuda, *by_driver))
    elsewhere = (bool(not_by_stream or nor_these or nor_by_runtime)
                 or any(all(argument is not stream for argument in arguments) for _, arguments, _ in by_pycuda)
                 or any(int(arguments[-1]) != stream.handle for _, arguments, _ in by_driver))
    if (cuda.from_device(target, len(source), np.uint8) != source).any():
        return ", but not where each copy runs at once"
    if elsewhere:
        return ", but a copy does not go through the stream that is given"
    return ", but a copy does not come from the buffer" if beside else ""


def _pieces(content, source, room):
    """Which piece of the source is at the place of each: "1 2 3" where all is right, "3+2" where it is part of two."""
    pieces = [source[start:start + room] for start in range(0, len(source), room)]
    return " ".join(_piece(content[start:start + room], pieces) for start in range(0, len(source), room)) or "no pieces"


def _piece(content, pieces):
    numbers, position = [], 0
    while position < len(content):
        alike = [_alike(content[position:], piece[position:]) for piece in pieces]
        if not max(alike):
            return "nothing" if (content == UNTOUCHED).all() else "?"
        numbers.append(str(alike.index(max(alike)) + 1))
        position += max(alike)
    return "+".join(numbers)


def _alike(first, second):
    """How many bytes two arrays have in common at their beginnings."""
    shorter = min(len(first), len(second))
    differ = np.flatnonzero(first[:shorter] != second[:shorter])
    return int(differ[0]) if len(differ) else shorter
