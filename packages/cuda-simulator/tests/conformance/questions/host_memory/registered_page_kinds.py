"""Registered memory by what its pages are: of several kinds in one range, of files, beside freed neighbours."""
import ctypes
import mmap
import os
import tempfile

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, outcome
from ...helpers.kernels import i32
from ...helpers.memory_kinds import pages, unmap


@question("registering a range whose pages are of several kinds")
def mixed_pages():
    def area(*protections):
        base = pages(4096 * len(protections))
        libc = ctypes.CDLL(None)
        for position, protection in enumerate(protections):
            libc.mprotect(ctypes.c_void_p(base + 4096 * position), ctypes.c_size_t(4096), protection)
        return base
    rw, ro, no = mmap.PROT_READ | mmap.PROT_WRITE, mmap.PROT_READ, 0
    for label, protections in (("written, read-only", (rw, ro)), ("read-only, written", (ro, rw)), ("written, closed", (rw, no)),
                               ("written, read-only, written", (rw, ro, rw)), ("read-only twice", (ro, ro)), ("closed", (no,))):
        for flags in (0, 8):
            yield f"{label}: flags {flags}", ask(cu.cuMemHostRegister(area(*protections), 4096 * len(protections), flags))
    a = area(rw, ro)
    yield "only the bytes of the first page", ask(cu.cuMemHostRegister(a + 100, 3000, 0))
    a = area(rw, rw, rw)
    must(cu.cuMemHostRegister(a, 3 * 4096, 0))
    ctypes.CDLL(None).mprotect(ctypes.c_void_p(a), ctypes.c_size_t(3 * 4096), ro)
    yield "closed to writing after it was registered: a kernel", lambda: ask(kernels.run("fill", a, i32(1), i32(16)))
    yield "and a copy", lambda: ask(cu.cuMemcpyHtoD(a, bytes(16), 16))


@question("memory of files registers where it is written in the process or for all", varies={
    "shared, protection 3, flags 0": "whether the file system lets the system lock its pages"})
def file_pages():
    with tempfile.TemporaryFile() as file:
        file.truncate(1 << 16)
        for label, flags in (("private", mmap.MAP_PRIVATE), ("shared", mmap.MAP_SHARED)):
            for protection in (mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE):
                libc = ctypes.CDLL(None)
                libc.mmap.restype = ctypes.c_void_p
                address = libc.mmap(None, ctypes.c_size_t(1 << 16), protection, flags, file.fileno(), ctypes.c_long(0))
                for register_flags in (0, 8):
                    yield f"{label}, protection {protection}, flags {register_flags}", [ask(cu.cuMemHostRegister(address, 8192,
                                                                                                                 register_flags)),
                                                                               ask(cu.cuMemHostUnregister(address))]
    fd = os.memfd_create("short")
    os.ftruncate(fd, 4096)
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    address = libc.mmap(None, ctypes.c_size_t(8192), 3, mmap.MAP_SHARED, fd, ctypes.c_long(0))
    yield "the file's only page", ask(cu.cuMemHostRegister(address, 4096, 0))
    yield "a page past the file's end", ask(cu.cuMemHostRegister(address + 4096, 4096, 0))


@question("a registered range keeps its place among registered and freed neighbours")
def registered_neighbours():
    a = pages(1 << 20)
    for position in range(8):
        must(cu.cuMemHostRegister(a + position * 8192, 4096, 0))
    yield "between two", ask(cu.cuMemHostRegister(a + 4096, 4096, 0))
    yield "over a gap", ask(cu.cuMemHostRegister(a + 3 * 4096, 8192, 0))
    must(cu.cuMemHostUnregister(a + 8192))
    yield "where one was", ask(cu.cuMemHostRegister(a + 8192, 4096, 0))
    yield "copy over two neighbours", ask(cu.cuMemcpy(int(must(cu.cuMemAlloc(8192))), a, 8192))
    yield "kernel over two neighbours", ask(kernels.run("fill", a, i32(1), i32(8192)))
    yield "copy as the device side, over two", ask(cu.cuMemcpyDtoH(pages(), a, 8192))
    yield "range over two", outcome(cu.cuMemGetAddressRange(a)[::2])
    yield "pages given back, then registered anew", _registered_anew()


def _registered_anew():
    a = pages()
    must(cu.cuMemHostRegister(a, 4096, 0))
    must(cu.cuMemHostUnregister(a))
    unmap(a)
    b = pages(address=a)
    return [b == a, ask(cu.cuMemHostRegister(b, 4096, 0)), ask(cu.cuMemHostGetDevicePointer(b, 0))]
