"""The check that nothing is left is not blind."""
import gc

from course_lib import kernels, mapped, pinned, reservation
from course_lib.mapped import mailbox

import numpy as np
import pycuda.driver as cuda
import pytest

from . import tables

SIZE = 2 << 20


def mapped_memory(where):
    addresses = reservation.reserve(SIZE)
    addresses.map(reservation.create(SIZE, where))
    return addresses


LEFT = {
    "pinned": lambda: pinned.allocate(1),
    "registered": lambda: pinned.register(np.zeros(1)),
    "a view of released pinned memory": lambda: pinned.allocate(1).array,
    "a view for kernels": lambda: mapped.as_gpuarray(pinned.allocate(1).array),
    "a mailbox": mailbox.Mailbox,
    "addresses": lambda: reservation.reserve(SIZE),
    "physical memory": lambda: reservation.create(SIZE),
    "mapped memory": lambda: mapped_memory("device"),
    "mapped memory on the host": lambda: mapped_memory("host"),
    "a growing buffer, empty": lambda: reservation.GrowingBuffer(SIZE),
    "device memory": lambda: cuda.mem_alloc(SIZE),
}


@pytest.mark.parametrize("make", LEFT.values(), ids=LEFT)
def test_what_is_left_is_seen(make):
    before = tables.now()
    left = make()
    assert tables.now() != before and tables.left(before, patience=0.3)
    del left
    gc.collect()
    assert tables.now() == before and tables.left(before) is None


def test_what_is_used_the_first_time_is_not_taken_for_a_leak():
    before = tables.now()
    with kernels.compile('__global__ void first(int *p) { int *q = (int *) malloc(8); printf("%s", ""); *p = 2; free(q); }') as code:
        managed = cuda.managed_empty(1, "int32", mem_flags=cuda.mem_attach_flags.GLOBAL)
        code.first(1, 1, managed)
        cuda.Context.synchronize()
    del managed
    gc.collect()
    assert tables.now() == before
