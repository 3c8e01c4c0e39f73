"""Which pages of managed memory are at the host: after a touch, a prefetch, advice.

Which pages are in the host's page tables, Linux says; they are at the host where the host reaches no other memory.
"""
import ctypes
import os

from cuda_simulator.page_tables import present

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import must
from ...helpers.managed_memory import MIB, PAGE, advise, attribute, fresh, host_write, prefetch_and_wait, sure

TOUCH = r"""
extern "C" {
__global__ void use(volatile char *x) { x[4096] = x[0]; }
}
"""
MODEL = "the simulated driver moves single pages, by the documentation; a GPU's moves others with them"
PAGES = 512


def touched_by_a_kernel(address):
    module = must(cu.cuModuleLoadData(kernels.ptx(TOUCH)))
    must(kernels.run(must(cu.cuModuleGetFunction(module, b"use")), address))


@question("the size of a page on the host")
def page_size():
    return os.sysconf("SC_PAGESIZE")


def at_the_host(address, size=PAGES * PAGE):
    """The pages that are in the host's page tables: [first, last] of each run."""
    runs = present(address, size)
    if runs is None:
        return "the system does not tell"
    first_page = address // os.sysconf("SC_PAGESIZE")
    return [[low - first_page, high - first_page - 1] for low, high, is_there in runs if is_there]


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
    prefetch_and_wait(a + 100, PAGE)
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
    prefetch_and_wait(a, PAGE)
    yield "page 0 was prefetched to the device", at_the_host(a)
    told_of_page_0 = [attribute(number, a, PAGE) for number in (mm.PREFERRED, mm.PREFETCHED)]
    yield "preferred, and last prefetch, of page 0", told_of_page_0


@question("a read-mostly page stays at the host when a kernel reads it, and leaves when one writes it", stricter=MODEL)
def read_mostly():
    a = fresh()
    sure(advise(a, 2 * PAGE, "SET_READ_MOSTLY"))
    host_write(a, 1, 2 * PAGE)
    touched_by_a_kernel(a)
    yield "a kernel read page 0 and wrote to page 1", at_the_host(a)
    yield "what the host reads", ctypes.string_at(a + PAGE, 2).hex()
    yield "pages at the host then", at_the_host(a, MIB)
