"""Registered memory whose pages the program unmaps, moves or closes: what the device has then, and what it has when other pages come
in their place."""
import ctypes
import mmap
import os

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, outcome, where
from ...helpers.kernels import i32
from ...helpers.memory_kinds import SMALL, pages, unmap
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute

MAP_FIXED = 0x10                  # linux/mman.h
MAY_MOVE, AT_AN_ADDRESS = 1, 2    # MREMAP_MAYMOVE, MREMAP_FIXED
libc = ctypes.CDLL(None, use_errno=True)
libc.mremap.restype = ctypes.c_void_p
libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]


def unmapped_pages():
    """Registered pages full of 5, unmapped."""
    a = pages()
    ctypes.memset(a, 5, SMALL)
    must(cu.cuMemHostRegister(a, SMALL, 0))
    unmap(a)
    return a


def replaced_pages():
    """The same, and pages full of 99 in their place."""
    a = unmapped_pages()
    pages(flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_FIXED, address=a)
    ctypes.memset(a, 99, SMALL)
    return a


def kernel_byte(address):
    """One byte, as a kernel reads it; else the error's name."""
    out, content = must(cu.cuMemAlloc(64)), bytearray(1)
    code = ask(kernels.run("peek", address, int(out)))
    return code if code != "SUCCESS" else ask(cu.cuMemcpyDtoH(content, out, 1)) and content[0]


def kernel_write(address):
    """A kernel writes 7: what a kernel finds there then; else the error's name."""
    code = ask(kernels.run("poke", address, i32(7)))
    return code if code != "SUCCESS" else kernel_byte(address)


def host_byte(address):
    return ctypes.string_at(address, 1)[0]


@question("the device keeps registered pages that the program unmaps", alone=True)
def unmapped():
    a = unmapped_pages()
    yield "forward", outcome(cu.cuMemHostGetDevicePointer(a, 0), as_=lambda p: where(p, start=a))
    yield "back", where(get_attribute(ATTRIBUTES["HOST_POINTER"], a)[1], start=a)
    yield "a kernel reads", lambda: kernel_byte(a)
    yield "a kernel writes", lambda: kernel_write(a)
    yield "unregister", ask(cu.cuMemHostUnregister(a))


@question("where the program maps other pages in the place of registered ones, the device keeps the old ones", alone=True)
def others_in_their_place():
    a = replaced_pages()
    yield "a kernel reads", lambda: kernel_byte(a)
    yield "a kernel writes: kernel and host read", lambda: [kernel_write(a), host_byte(a)]
    yield "unregister, and register what is there", [ask(cu.cuMemHostUnregister(a)), ask(cu.cuMemHostRegister(a, SMALL, 0))]
    yield "kernel and host read then", lambda: [kernel_byte(a), host_byte(a)]


def copy_byte(copy, a):
    """The byte at `a`, as a copy brings it, which takes the address for the device's or for the host's; else the error's name."""
    out, middle = bytearray(1), int(must(cu.cuMemAlloc(64)))
    if copy is cu.cuMemcpyDtoH:
        code = ask(copy(out, a, 1))
    else:
        code = ask(copy(middle, a, 1))
        must(cu.cuMemcpyDtoH(out, middle, 1))
    return out[0] if code == "SUCCESS" else code


def answers(a):
    """What the driver says of the start of a registered range, and what it copies."""
    yield "forward", outcome(cu.cuMemHostGetDevicePointer(a, 0), as_=lambda p: where(p, start=a))
    for name in ("HOST_POINTER", "DEVICE_POINTER"):
        code, value, _ = get_attribute(ATTRIBUTES[name], a)
        yield name, code or where(value, start=a)
    yield "range", outcome(cu.cuMemGetAddressRange(a)[::2])
    yield "host flags", outcome(cu.cuMemHostGetFlags(a))
    yield "copied to the host", lambda: copy_byte(cu.cuMemcpyDtoH, a)
    yield "memset", lambda: [ask(cu.cuMemsetD8(a, 6, 1)), ask(cu.cuCtxSynchronize())]
    yield "a kernel reads what memset wrote", lambda: kernel_byte(a)
    yield "a kernel writes", lambda: kernel_write(a)


def taken_from(change):
    """Registered pages full of 5, after `change(address)`."""
    a = pages()
    ctypes.memset(a, 5, SMALL)
    must(cu.cuMemHostRegister(a, SMALL, 0))
    change(a)
    return a


@question("the device keeps registered pages that the program gives up, moves or closes", alone=True)
def given_up():
    for label, change in (("munmap", unmap), ("mprotect none", lambda a: libc.mprotect(ctypes.c_void_p(a), ctypes.c_size_t(SMALL), 0)),
                          ("mprotect read", lambda a: libc.mprotect(ctypes.c_void_p(a), ctypes.c_size_t(SMALL), mmap.PROT_READ)),
                          ("mremap", lambda a: libc.mremap(a, SMALL, SMALL, MAY_MOVE | AT_AN_ADDRESS, pages()))):
        a = taken_from(change)
        for name, answer in answers(a):
            yield f"{label}: {name}", answer
        yield f"{label}: unregister", ask(cu.cuMemHostUnregister(a))


@question("registered pages that the program moves are read at the new address by the host, at the old one by the device", alone=True)
def moved():
    moved_to = pages()
    a = taken_from(lambda a: libc.mremap(a, SMALL, SMALL, MAY_MOVE | AT_AN_ADDRESS, moved_to))
    yield "forward and back of the new address", [ask(cu.cuMemHostGetDevicePointer(moved_to, 0)), get_attribute(ATTRIBUTES["HOST_POINTER"], moved_to)[0]]
    yield "a kernel writes at the old address: the host reads at the new", lambda: [kernel_write(a), host_byte(moved_to)]
    ctypes.memset(moved_to, 41, 1)
    yield "the host writes at the new address: a kernel reads at the old", lambda: kernel_byte(a)
    yield "register the new address", ask(cu.cuMemHostRegister(moved_to, SMALL, 0))
    yield "unregister the old", ask(cu.cuMemHostUnregister(a))


@question("host and kernel read two memories at one number, where registered pages were unmapped and others mapped there", alone=True)
def two_memories():
    a = pages()
    ctypes.memset(a, 41, SMALL)
    must(cu.cuMemHostRegister(a, SMALL, 0))
    unmap(a)
    pages(flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_FIXED, address=a)
    ctypes.memset(a, 99, SMALL)
    yield "the host reads", host_byte(a)
    yield from answers(a)
    yield "the host reads then", host_byte(a)
    for label, copy in (("cuMemcpyHtoD reads", cu.cuMemcpyHtoD), ("cuMemcpyDtoD reads", cu.cuMemcpyDtoD), ("cuMemcpy reads", cu.cuMemcpy)):
        yield label, lambda copy=copy: copy_byte(copy, a)


@question("a part of a registered range unmapped: the device keeps all of it", alone=True)
def in_part():
    a = pages()
    ctypes.memset(a, 5, SMALL)
    must(cu.cuMemHostRegister(a, SMALL, 0))
    unmap(a + 4096, 4096)
    yield "a kernel reads before, in and behind it", lambda: [kernel_byte(a), kernel_byte(a + 4096), kernel_byte(a + 8192)]
    yield "the host reads before and behind it", [host_byte(a), host_byte(a + 8192)]
    yield "a kernel writes before it: the host reads", lambda: [kernel_write(a), host_byte(a)]
    yield "unregister", ask(cu.cuMemHostUnregister(a))


@question("a mapping that is larger than what was registered of it, unmapped", alone=True)
def registered_in_part():
    a = pages()
    ctypes.memset(a, 5, SMALL)
    must(cu.cuMemHostRegister(a + 4096, 8192, 0))
    unmap(a)
    yield "a kernel reads", lambda: kernel_byte(a + 4096)
    b = pages()
    ctypes.memset(b, 5, SMALL)
    must(cu.cuMemHostRegister(b + 100, 1000, 0))
    unmap(b)
    yield "not page by page: a kernel reads", lambda: kernel_byte(b + 100)


@question("what a registered mapping of a file becomes when it is unmapped", alone=True)
def of_a_file():
    fd = os.memfd_create("pages")
    os.ftruncate(fd, SMALL)
    a = pages(SMALL, flags=mmap.MAP_SHARED, fd=fd)
    ctypes.memset(a, 5, SMALL)
    must(cu.cuMemHostRegister(a, SMALL, 0))
    unmap(a)
    yield "a kernel reads", lambda: kernel_byte(a)
    yield "a kernel writes: the file has", lambda: [kernel_write(a), os.pread(fd, 1, 0)[0]]


@question("a child process, and registered pages", alone=True)
def after_a_fork():
    a = pages()
    ctypes.memset(a, 5, SMALL)
    must(cu.cuMemHostRegister(a, SMALL, 0))
    child = os.fork()
    if not child:
        ctypes.memset(a, 6, 1)
        os._exit(host_byte(a))
    yield "the child read what it wrote", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    yield "the parent and a kernel read", lambda: [host_byte(a), kernel_byte(a)]
    ctypes.memset(a, 8, 1)
    yield "the parent writes: a kernel reads", lambda: kernel_byte(a)
    yield "a kernel writes: the parent reads", lambda: [kernel_write(a), host_byte(a)]
