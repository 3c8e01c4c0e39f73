"""Answers to the exercises of this lesson are tried here, in the sandbox, with memory made for them. No address leaves it."""
from course_lib import kernels
from course_lib.core.ownership import current_context

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from ...exercises.values import Label, Remark, same
from ...exercises.watching import watched

# read_element ---------------------------------------------------------------------------------------------------------

SUCCESS = cu.CUresult.CUDA_SUCCESS
ROOM, START = 1 << 14, 1 << 12      # bytes around an array, and before it: a wrong address may be any of theirs
GAP = 99                            # what is there


class OnDevice:
    """An array on the device of which no more is known than its interface."""

    def __init__(self, address, shape, kind, strides):
        self.__cuda_array_interface__ = {"shape": shape, "typestr": np.dtype(kind).str, "data": (address, False),
                                         "strides": strides, "version": 3}


def read_element(answer, shape, kind, strides, row, column, first_element=0):
    """What `answer` reads of an array whose elements are first_element + 10 * row + column, and whether it copies more than that."""
    current_context()
    around = np.full(ROOM // np.dtype(kind).itemsize, GAP, kind)
    steps = strides or (shape[1] * around.itemsize, around.itemsize)
    shown = np.ndarray(shape, kind, around, START, steps)
    shown[:] = first_element + np.add.outer(10 * np.arange(shape[0]), np.arange(shape[1]))
    memory = cuda.to_device(around)
    array = OnDevice(int(memory) + START, shape, kind, strides)
    with (watched(answer, cuda, "memcpy_dtoh", "memcpy_dtoh_async") as copies,
          watched(answer, cu, "cuMemcpyDtoH") as others):
        got = answer(array, row, column)
    if same(got, shown[row, column]):
        copied = sum(memoryview(arguments[0]).nbytes for _, arguments, _ in copies)
        return got if copied <= around.itemsize else Remark("the element, and the bytes of others were copied as well")
    if isinstance(got, (int, np.integer)) and abs(int(got) - int(memory)) < ROOM:
        return Remark("an address")
    return got if copies or others else Remark("a number, without any copy to the host")


# spy ------------------------------------------------------------------------------------------------------------------

READ = "__global__ void read(const int *from, int *to) { *to = *from; }"
SECRET_BYTES, SMALL, SECRET = 1000, 4, Label("the secret")


def spy(answer, secret, neighbours):
    """Hand `answer` two functions, and say what its number is: the secret, or something else."""
    current_context()
    allocations = [cuda.mem_alloc(size) for size in [SECRET_BYTES, SMALL] * (neighbours and 4 + neighbours)]
    far = 2 * (2 + neighbours)
    for place, memory in enumerate(allocations):
        # Two gaps that the secret fits into, the first exactly, and no guess knows how far the other one is; and gaps that are
        # too small for it, where a smaller allocation may go.
        if place in (0, far) or place % 2 and place not in (1, far - 1):
            memory.free()
    read, copied = kernels.compile(READ).read, cuda.mem_alloc(4 << 20)      # copied has a piece of memory of its own
    secrets, early, looked, freed = [], [], [], []

    def make_secret():
        freed.extend(mine for mine in (*by_pycuda, *by_driver) if cu.cuMemGetAddressRange(mine.start)[:2] != (SUCCESS, mine.start))
        before = len(by_pycuda)
        secrets.append(cuda.to_device(np.full(SECRET_BYTES // 4, secret, np.int32)))
        del by_pycuda[before:]

    def look(address):
        if not secrets:     # nothing is there perhaps, and a kernel that reads there breaks CUDA
            early.append(address)
            return 0
        looked.append(int(address))
        read(1, 1, int(address), copied)
        return int(cuda.from_device(copied, 1, np.int32)[0])
    # What is noted of an allocation does not keep it: who lets go of the last name frees it.
    with (watched(answer, cuda, "mem_alloc", after=lambda: _keep_the_range(by_pycuda)) as by_pycuda,
          watched(answer, cu, "cuMemAlloc", after=lambda: _keep_the_range(by_driver)) as by_driver):
        got = answer(make_secret, look)
    if not secrets:
        return "nobody made a secret"
    del allocations
    if early and got != secret:
        return "looked before there was a secret"
    if not isinstance(got, (int, np.integer)):
        return got
    if got in looked:
        return Remark("the address that it looked at, and not the number there")
    if got == secret and (by_pycuda or by_driver) and looked and not any(address in mine for address in looked for mine in freed):
        return Remark("the secret, at an address that was a guess: none of yours, given back before")
    if got == secret and not looked:
        return Remark("the secret, and `look` was not called")
    return SECRET if got == secret else "another number"


def _keep_the_range(calls):
    """Put the addresses of the last allocation in the place of its call."""
    _, arguments, result = calls.pop()
    start = int(result[1] if isinstance(result, tuple) else result)
    calls.append(range(start, start + int(arguments[0])))
