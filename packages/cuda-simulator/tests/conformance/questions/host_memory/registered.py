"""Registered host memory: the operating system's pages made page-locked after the fact."""
import ctypes
import mmap
import os

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, name, new_context, outcome, read, where
from ...helpers.kernels import i32
from ...helpers.memory_kinds import KINDS, SMALL, blocks, make, pages, unmap

READ, WRITE = mmap.PROT_READ, mmap.PROT_WRITE


@question("registering takes the flags portable, devicemap, and read-only where the device can, and no unknown one")
def flags_accepted():
    for flags in [*range(17), 32, 1 << 31]:
        a = pages()
        yield f"flags {flags}", ask(cu.cuMemHostRegister(a, SMALL, flags))
        yield f"flags {flags}: read back", outcome(cu.cuMemHostGetFlags(a))


@question("registering takes any address and any size, page boundaries or not")
def unaligned():
    for offset, size in ((0, 1), (0, 4095), (0, 4096), (1, 1), (100, 5000), (4095, 1), (4095, 2), (17, 8192), (0, SMALL)):
        a = pages()
        label = f"offset {offset}, {size} bytes"
        yield f"{label}: register", ask(cu.cuMemHostRegister(a + offset, size, 0))
        yield f"{label}: first byte", ask(cu.cuMemHostGetDevicePointer(a + offset, 0))
        yield f"{label}: last byte", ask(cu.cuMemHostGetDevicePointer(a + offset + size - 1, 0))
        yield f"{label}: one past the end", ask(cu.cuMemHostGetDevicePointer(a + offset + size, 0))
        yield f"{label}: one before", ask(cu.cuMemHostGetDevicePointer(a + offset - 1, 0))
        result = cu.cuMemGetAddressRange(a + offset)
        yield f"{label}: range", [where(result[1], start=a + offset), int(result[2])] if not int(result[0]) else ask(result)
        yield f"{label}: unregister", ask(cu.cuMemHostUnregister(a + offset))


@question("a size of zero, a null address and a size that wraps around are refused")
def odd_sizes():
    a = pages()
    yield "0 bytes", ask(cu.cuMemHostRegister(a, 0, 0))
    yield "null", ask(cu.cuMemHostRegister(0, 4096, 0))
    yield "null, 0 bytes", ask(cu.cuMemHostRegister(0, 0, 0))
    yield "2^64 - 1 bytes", ask(cu.cuMemHostRegister(a, (1 << 64) - 1, 0))
    yield "2^46 bytes", ask(cu.cuMemHostRegister(a, 1 << 46, 0))
    yield "still registers", ask(cu.cuMemHostRegister(a, 4096, 0))


@question("a range that overlaps a registered one is refused with 712; neighbours on one page are not overlaps")
def overlaps():
    cases = {"the same": (4096, 8192), "the same start, shorter": (4096, 100), "the same start, longer": (4096, 12000),
             "inside": (5000, 100), "around": (0, 20000), "over the start": (0, 5000), "over the end": (12000, 5000),
             "right before": (0, 4096), "right after": (12288, 4096), "the first byte": (4096, 1), "the last byte": (12287, 1)}
    for label, (offset, size) in cases.items():
        a = pages()
        must(cu.cuMemHostRegister(a + 4096, 8192, 0))
        yield label, ask(cu.cuMemHostRegister(a + offset, size, 0))
    page_cases = {"before on the same page": (0, 100), "after on the same page": (1000, 100), "around in the page": (50, 300)}
    for label, (offset, size) in page_cases.items():
        a = pages()
        must(cu.cuMemHostRegister(a + 100, 100, 0))
        yield label, ask(cu.cuMemHostRegister(a + offset, size, 0))


@question("registering other kinds of memory is refused")
def register_by_kind():
    for kind in KINDS:
        block = make(kind)
        for flags in (0, 8):
            yield f"{kind}: flags {flags}", lambda flags=flags: ask(cu.cuMemHostRegister(block.address, 4096, flags))
            if kind == "pageable":
                cu.cuMemHostUnregister(block.address)


@question("unregistering takes the start of a registered range, once")
def unregister_by_kind():
    for kind in KINDS:
        block = make(kind)
        yield f"{kind}: interior", lambda: ask(cu.cuMemHostUnregister(block.address + 8))
        yield f"{kind}: start", lambda: ask(cu.cuMemHostUnregister(block.address))
        yield f"{kind}: again", lambda: ask(cu.cuMemHostUnregister(block.address))


@question("registering changes neither the content nor the host's view of it")
def content_stays():
    a = pages()
    ctypes.memset(a, 0x5A, SMALL)
    must(cu.cuMemHostRegister(a, SMALL, 0))
    unchanged = set(ctypes.string_at(a, SMALL)) == {0x5A}
    must(kernels.run("fill", a + 4, i32(1), i32(4)))
    content = ctypes.string_at(a + 2, 8).hex()
    must(cu.cuMemHostUnregister(a))
    return [unchanged, content, ctypes.string_at(a + 2, 8).hex()]


@question("registering needs pages that are there and may be written, unless it is read-only")
def protections():
    for label, protection in (("none", 0), ("read", READ), ("write", WRITE), ("read and write", READ | WRITE)):
        for flags in (0, 2, 8):
            a = pages(protection=protection)
            yield f"{label}: flags {flags}", ask(cu.cuMemHostRegister(a, SMALL, flags))
            cu.cuMemHostUnregister(a)


@question("registering needs every page of the range")
def holes():
    a = pages(4 * 4096)
    unmap(a + 8192, 4096)
    yield "a hole inside", ask(cu.cuMemHostRegister(a, 4 * 4096, 0))
    yield "up to the hole", ask(cu.cuMemHostRegister(a, 8192, 0))
    yield "after the hole", ask(cu.cuMemHostRegister(a + 12288, 4096, 0))
    b = pages(4 * 4096)
    ctypes.CDLL(None).mprotect(ctypes.c_void_p(b + 8192), ctypes.c_size_t(4096), READ)
    yield "a read-only page inside", ask(cu.cuMemHostRegister(b, 4 * 4096, 0))
    yield "a read-only page inside, read-only flag", ask(cu.cuMemHostRegister(b, 4 * 4096, 8))


@question("memory of files, shared memory, the stack and the heap registers")
def sources():
    fd = os.memfd_create("question")
    os.ftruncate(fd, SMALL)
    yield "memfd, shared", ask(cu.cuMemHostRegister(pages(flags=mmap.MAP_SHARED, fd=fd), SMALL, 0))
    yield "memfd, private", ask(cu.cuMemHostRegister(pages(flags=mmap.MAP_PRIVATE, fd=fd), SMALL, 0))
    with open(__file__, "rb") as file:
        view = pages(4096, protection=READ, flags=mmap.MAP_SHARED, fd=file.fileno())
        yield "a file, read-only, flags 0", ask(cu.cuMemHostRegister(view, 4096, 0))
        yield "a file, read-only, flags 8", ask(cu.cuMemHostRegister(view, 4096, 8))
    buffer = ctypes.create_string_buffer(100)
    yield "the C heap", ask(cu.cuMemHostRegister(ctypes.addressof(buffer), 100, 0))
    yield "the C heap, device address", where(must(cu.cuMemHostGetDevicePointer(ctypes.addressof(buffer), 0)),
                                              host=ctypes.addressof(buffer))
    yield "two mappings side by side", _two_mappings()


def _two_mappings():
    a = pages(2 * 4096)
    unmap(a + 4096, 4096)
    fd = os.memfd_create("question")
    os.ftruncate(fd, 4096)
    pages(4096, flags=mmap.MAP_SHARED | 0x10, fd=fd, address=a + 4096)
    return ask(cu.cuMemHostRegister(a, 8192, 0))


@question("one physical page has two device addresses when two host views of it are registered")
def two_views():
    fd = os.memfd_create("question")
    os.ftruncate(fd, SMALL)
    first, second = (pages(flags=mmap.MAP_SHARED, fd=fd) for _ in range(2))
    yield "register first", ask(cu.cuMemHostRegister(first, SMALL, 0))
    yield "register second", ask(cu.cuMemHostRegister(second, SMALL, 0))
    yield "device addresses", [where(must(cu.cuMemHostGetDevicePointer(a, 0)), first=first, second=second)
                               for a in (first, second)]
    must(kernels.run("fill", first, i32(5), i32(4)))
    out = int(must(cu.cuMemAlloc(4)))
    must(kernels.run("copy", out, second, i32(4)))
    yield "a kernel reads through the other", read(out, 4).hex()
    yield "unregister first", ask(cu.cuMemHostUnregister(first))
    yield "the second still works", ask(kernels.run("copy", out, second, i32(4)))


@question("a kernel reads registered read-only memory; writing to it ends the context")
def read_only_kernel():
    a = pages(protection=READ)
    must(cu.cuMemHostRegister(a, SMALL, 8))
    out = int(must(cu.cuMemAlloc(4)))
    yield "flags", outcome(cu.cuMemHostGetFlags(a))
    yield "device address", where(must(cu.cuMemHostGetDevicePointer(a, 0)), host=a)
    yield "read", ask(kernels.run("copy", out, a, i32(4)))
    yield "copied from", ask(cu.cuMemcpyHtoD(out, a, 4))
    yield "copied to by cuMemcpyDtoH", ask(cu.cuMemcpyDtoH(a, out, 4))
    yield "set by cuMemsetD8", ask(cu.cuMemsetD8(a, 1, 4))
    yield "synchronize", ask(cu.cuCtxSynchronize())
    yield "written by a kernel", ask(kernels.run("poke", a, i32(1)))


@question("memory that is not registered any more is not reached by a kernel")
def kernel_after_unregister():
    a = pages()
    must(cu.cuMemHostRegister(a, SMALL, 0))
    must(cu.cuMemHostUnregister(a))
    return ask(kernels.run("poke", a, i32(1)))


@question("unmapping registered pages leaves the range registered")
def unmapped_while_registered():
    a = pages()
    must(cu.cuMemHostRegister(a, SMALL, 0))
    unmap(a)
    yield "device address", ask(cu.cuMemHostGetDevicePointer(a, 0))
    yield "unregister", ask(cu.cuMemHostUnregister(a))
    yield "unregister again", ask(cu.cuMemHostUnregister(a))


@question("memory registered in one context is known in another; destroying its context unregisters it")
def contexts():
    for flags in (0, 1):
        first = new_context()
        a = pages()
        must(cu.cuMemHostRegister(a, SMALL, flags))
        second = new_context()
        yield f"flags {flags}: flags in the second", outcome(cu.cuMemHostGetFlags(a))
        yield f"flags {flags}: register again in the second", ask(cu.cuMemHostRegister(a, SMALL, flags))
        yield f"flags {flags}: kernel in the second", ask(kernels.run("poke", a, i32(7)))
        yield f"flags {flags}: content", ctypes.string_at(a, 1).hex()
        kernels.forget()
        must(cu.cuCtxDestroy(first))
        yield f"flags {flags}: flags after the first is gone", outcome(cu.cuMemHostGetFlags(a))
        yield f"flags {flags}: unregister", ask(cu.cuMemHostUnregister(a))
        yield f"flags {flags}: register again", ask(cu.cuMemHostRegister(a, SMALL, flags))
        yield f"flags {flags}: unregister again", ask(cu.cuMemHostUnregister(a))
        must(cu.cuCtxDestroy(second))


@question("registered memory can be unregistered from another context")
def unregister_elsewhere():
    a = pages()
    must(cu.cuMemHostRegister(a, SMALL, 0))
    second = new_context()
    yield "unregister", ask(cu.cuMemHostUnregister(a))
    must(cu.cuCtxDestroy(second))
    yield "again in the first", ask(cu.cuMemHostUnregister(a))


@question("copies take registered memory on either side")
def copies():
    for kind, block in blocks("registered", "registered, unaligned"):
        ctypes.memset(block.address, 3, block.size)
        d = int(must(cu.cuMemAlloc(64)))
        yield f"{kind}: HtoD", ask(cu.cuMemcpyHtoD(d, block.address, 64))
        yield f"{kind}: DtoD from", ask(cu.cuMemcpyDtoD(d, block.address + 8, 32))
        yield f"{kind}: DtoD to", ask(cu.cuMemcpyDtoD(block.address, d, 32))
        yield f"{kind}: DtoD past the end", ask(cu.cuMemcpyDtoD(d, block.address + block.size - 8, 64))
        yield f"{kind}: HtoD past the end", ask(cu.cuMemcpyHtoD(d, block.address + block.size - 8, 64))
        yield f"{kind}: memset", name(int(cu.cuMemsetD8(block.address, 1, 8)[0]))
        yield f"{kind}: memset past the end", name(int(cu.cuMemsetD8(block.address + block.size - 4, 1, 8)[0]))


@question("small blocks of the C heap and of arrays register side by side on one page",
          stricter={"a kernel there": "the page is still there for the others; the simulated driver knows the bytes"})
def side_by_side():
    a = pages()
    for k in range(4):
        yield f"register {k}", ask(cu.cuMemHostRegister(a + 100 * k, 100, 0))
    yield "attribute of each", [where(must(cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, a + 100 * k + 9)),
                                      a=a) for k in range(4)]
    yield "copy over two of them", ask(cu.cuMemcpyDtoD(int(must(cu.cuMemAlloc(400))), a, 150))
    yield "unregister the second", ask(cu.cuMemHostUnregister(a + 100))
    yield "its device address", ask(cu.cuMemHostGetDevicePointer(a + 150, 0))
    yield "register all", ask(cu.cuMemHostRegister(a, 400, 0))
    yield "a kernel there", lambda: ask(kernels.run("poke", a + 150, i32(1)))
