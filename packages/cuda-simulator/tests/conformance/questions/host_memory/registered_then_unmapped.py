"""Registered memory whose pages the program unmaps: what the device has then, and what it has when other pages come in their place."""
import ctypes
import mmap

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, told, where
from ...helpers.kernels import i32
from ...helpers.memory_kinds import SMALL, pages, unmap
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute

MAP_FIXED = 0x10    # linux/mman.h


def given_away():
    """Registered pages full of 5, unmapped."""
    a = pages()
    ctypes.memset(a, 5, SMALL)
    must(cu.cuMemHostRegister(a, SMALL, 0))
    unmap(a)
    return a


def replaced():
    """The same, and pages full of 99 in their place."""
    a = given_away()
    pages(flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_FIXED, address=a)
    ctypes.memset(a, 99, SMALL)
    return a


def seen(address):
    """One byte, as a kernel reads it; else the error's name."""
    out, found = must(cu.cuMemAlloc(64)), bytearray(1)
    code = ask(kernels.run("peek", address, int(out)))
    return code if code != "SUCCESS" else ask(cu.cuMemcpyDtoH(found, out, 1)) and found[0]


def written(address):
    """A kernel writes 7: what a kernel finds there then; else the error's name."""
    code = ask(kernels.run("poke", address, i32(7)))
    return code if code != "SUCCESS" else seen(address)


def host_byte(address):
    return ctypes.string_at(address, 1)[0]


@question("the device keeps registered pages that the program unmaps", alone=True)
def unmapped():
    a = given_away()
    yield "forward", told(cu.cuMemHostGetDevicePointer(a, 0), as_=lambda p: where(p, start=a))
    yield "back", where(get_attribute(ATTRIBUTES["HOST_POINTER"], a)[1], start=a)
    yield "a kernel reads", lambda: seen(a)
    yield "a kernel writes", lambda: written(a)
    yield "unregister", ask(cu.cuMemHostUnregister(a))


@question("where the program maps other pages in the place of registered ones, the device keeps the old ones", alone=True)
def others_in_their_place():
    a = replaced()
    yield "a kernel reads", lambda: seen(a)
    yield "a kernel writes: kernel and host read", lambda: [written(a), host_byte(a)]
    yield "unregister, and register what is there", [ask(cu.cuMemHostUnregister(a)), ask(cu.cuMemHostRegister(a, SMALL, 0))]
    yield "kernel and host read then", lambda: [seen(a), host_byte(a)]
