"""What "may-read" takes for right is what two or three simulated devices do."""
from course_lib import kernels, reservation
from courseware import sandbox
from courseware.lessons.devices.exercises import may_read

import numpy as np
import pycuda.driver as cuda
import pytest
from cuda.bindings import driver as cu


def read(reader, memory, rights):
    """A kernel on device `reader` reads memory that was made as the case says, after the rights were given."""
    device, call = memory
    contexts = [cu.cuDevicePrimaryCtxRetain(number)[1] for number in range(3)]
    cu.cuCtxSetCurrent(contexts[device])
    mapping = make(call)
    for what, who, *whose in rights:
        cu.cuCtxSetCurrent(contexts[who])
        if what == "peer":
            cu.cuCtxEnablePeerAccess(contexts[whose[0]], 0)
        elif call == "cuMemCreate":
            mapping.set_access("readwrite")
        elif call == "cuMemAllocAsync":
            cu.cuMemPoolSetAccess(cu.cuDeviceGetDefaultMemPool(device)[1], [readable_on(who)], 1)
    cu.cuCtxSetCurrent(contexts[reader])
    out = cuda.mem_alloc(4)
    kernels.compile("__global__ void read(const int *x, int *out) { *out = *x; }").read(
        1, 1, getattr(mapping, "start", mapping), out)    # the number alone: course_lib would refuse its mapping


def make(call):
    if call == "cuMemAlloc":
        return cu.cuMemAlloc(4)[1]
    if call == "cuMemAllocAsync":
        return cu.cuMemAllocAsync(4, 0)[1]
    if call == "cuMemCreate":
        size = reservation.granularity()
        return reservation.reserve(size).map(reservation.create(size))
    out = cuda.mem_alloc(8)
    kernels.compile("__global__ void make(void **out) { *out = malloc(4); }").make(1, 1, out)
    return int(cuda.from_device(out, 1, np.uint64)[0])


def readable_on(device):
    access = cu.CUmemAccessDesc()
    access.location.type, access.location.id = cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE, device
    access.flags = cu.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    return access


@pytest.mark.parametrize("case", may_read.cases, ids=lambda case: case.description)
def test_a_kernel_reads_what_the_exercise_says_it_may(case):
    outcome = sandbox.run(read, *case.arguments, devices=3)
    assert outcome.ok == case.expected, outcome
    assert outcome.ok or "ILLEGAL_ADDRESS" in str(outcome)
