"""What lessons show on the reader's machine, and no other module asks: windows, and which pages are at the host.

Which pages are in the host's page tables, Linux says; they are at the host where the host reaches no other memory.
"""
import ctypes
import os

from cuda_simulator.page_tables import present

import numpy as np
from cuda.bindings import driver as cu

from .. import kernels, managed_memory as mm
from ..asking import question
from ..calls import ask, must, told
from ..managed_memory import MIB, PAGE, advise, arrived, attribute, fresh, host_write, sure
from .pointer_attributes import ATTRIBUTES, get_attribute

SOURCE = r"""
extern "C" {
// Of block 0 and block 1: where their variables are, and then what is at the addresses. One kernel does both, so that its local
// variable has one place. They are numbers, for NVRTC takes a pointer that it finds in global memory for one into global memory.
__global__ void pass(unsigned long long *at, int *found, int first) {
    __shared__ int shared;
    volatile int local = 80 + blockIdx.x;
    *(volatile int *)&shared = 70 + blockIdx.x;
    if (first) {
        at[2 * blockIdx.x] = (unsigned long long)&shared;
        at[2 * blockIdx.x + 1] = (unsigned long long)&local;
    } else {
        found[4 * blockIdx.x] = (unsigned long long)&shared == at[0];
        found[4 * blockIdx.x + 1] = *(volatile int *)at[0];
        found[4 * blockIdx.x + 2] = (unsigned long long)&local == at[1];
        found[4 * blockIdx.x + 3] = *(volatile int *)at[1];
    }
}
__global__ void use(volatile char *x) { x[4096] = x[0]; }
}
"""
MODEL = "the simulated driver moves single pages, by the documentation; a GPU's moves others with them"
PAGES = 512


def launched(name, *addresses, grid=1):
    module = must(cu.cuModuleLoadData(kernels.ptx(SOURCE)))
    must(kernels.run(must(cu.cuModuleGetFunction(module, name)), *addresses, grid=grid))


@question("a number in a window leads every block to a variable of its own, and the driver knows nothing of it")
def windows():
    at, found = (int(must(cu.cuMemAlloc(64))) for _ in range(2))
    for first in 1, 0:
        launched(b"pass", at, found, kernels.i32(first), grid=2)
    values, addresses = np.zeros(8, np.int32), np.zeros(4, np.uint64)
    must(cu.cuMemcpyDtoH(values, found, values.nbytes))
    must(cu.cuMemcpyDtoH(addresses, at, addresses.nbytes))
    for label, column in (("shared", 0), ("local", 2)):     # of what each block found
        one_number, content = (values[[column + i, column + 4 + i]].tolist() for i in (0, 1))
        yield f"{label}: one number in both blocks, and what they find there", [one_number, content]
    for label, address in (("shared", int(addresses[0])), ("local", int(addresses[1]))):
        yield f"{label}: forward", ask(cu.cuMemHostGetDevicePointer(address, 0))
        for name in ("MEMORY_TYPE", "HOST_POINTER", "DEVICE_POINTER"):
            yield f"{label}: {name}", told(get_attribute(ATTRIBUTES[name], address))
        yield f"{label}: copied to the host", lambda address=address: ask(cu.cuMemcpyDtoH(bytearray(4), address, 4))


@question("the size of a page on the host")
def page_size():
    return os.sysconf("SC_PAGESIZE")


def at_the_host(address, size=PAGES * PAGE):
    """The pages that are in the host's page tables: [first, last] of each run."""
    runs = present(address, size)
    if runs is None:
        return "the system does not tell"
    first = address // os.sysconf("SC_PAGESIZE")
    return [[low - first, high - first - 1] for low, high, there in runs if there]


@question("the host's first touch of a page brings others along", stricter=MODEL)
def touched():
    a = fresh()
    yield "fresh", at_the_host(a)
    host_write(a + 100 * PAGE, 7, 1)
    yield "the host wrote to page 100", at_the_host(a)
    must(kernels.run("fill", a, kernels.i32(1), kernels.i32(1)))
    yield "a kernel wrote to page 0", at_the_host(a)
    must(kernels.run("fill", a + 100 * PAGE, kernels.i32(1), kernels.i32(1)))
    yield "a kernel wrote to page 100", at_the_host(a)


@question("what the host touches comes back from the device, and the driver still tells the prefetch", stricter=MODEL)
def brought_back():
    a = fresh()
    arrived(a + 100, PAGE)
    yield "pages 0 and 1 were prefetched to the device", at_the_host(a)
    host_write(a, 7, 1)
    yield "the host wrote to page 0", at_the_host(a)
    yield "last prefetch of page 0", attribute(mm.PREFETCHED, a, PAGE)


@question("advice moves nothing, and a prefetch moves against it", stricter=MODEL)
def advised():
    a = fresh()
    host_write(a, 1, 3 * PAGE)
    yield "the host wrote to pages 0 to 2", at_the_host(a)
    sure(advise(a, 2 * PAGE, "SET_PREFERRED_LOCATION", "host"))
    sure(advise(a + 2 * PAGE, PAGE, "SET_PREFERRED_LOCATION"))
    yield "page 2 prefers the device, the others the host", at_the_host(a)
    arrived(a, PAGE)
    yield "page 0 was prefetched to the device", at_the_host(a)
    told_of_page_0 = [attribute(number, a, PAGE) for number in (mm.PREFERRED, mm.PREFETCHED)]
    yield "preferred, and last prefetch, of page 0", told_of_page_0


@question("a read-mostly page stays at the host when a kernel reads it, and leaves when one writes it", stricter=MODEL)
def read_mostly():
    a = fresh()
    sure(advise(a, 2 * PAGE, "SET_READ_MOSTLY"))
    host_write(a, 1, 2 * PAGE)
    launched(b"use", a)
    yield "a kernel read page 0 and wrote to page 1", at_the_host(a)
    yield "what the host reads", ctypes.string_at(a + PAGE, 2).hex()
    yield "pages at the host then", at_the_host(a, MIB)
