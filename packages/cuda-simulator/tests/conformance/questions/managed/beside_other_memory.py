"""Managed memory beside registered, mapped, pinned and virtual memory in one program: who reads what, and when."""
import ctypes

import numpy as np
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, outcome, pattern, read, where, write
from ...helpers.kernels import i32
from ...helpers.managed_memory import MIB, PAGE, facts, fresh, host_byte, host_write, prefetch, prefetch_and_wait, view
from ...helpers.memory_kinds import LARGE, create, make, mapped, pages, reserve, set_access, unmap
from ...helpers.pointer_attributes import int_attribute
from ...helpers.streams import stream
from ...helpers.turns import run


def wait():
    return ask(cu.cuCtxSynchronize())


@question("host pages that are registered after they were filled are summed up with managed ones by one kernel")
def with_registered():
    a, p = fresh(), pages()
    x, y = view(p, np.float32, 256), view(a, np.float32, 256)
    x[:], y[:] = np.arange(256), 1
    yield "registered", [ask(cu.cuMemHostRegister(p, 1024, 0)), run("saxpy", i32(256), np.float32(2), p, a, block=256),
                         float(y.sum())]
    yield "the other way", [run("saxpy", i32(256), np.float32(-1), a, p, block=256), x[[0, 1, 255]].tolist()]
    yield "unregistered, copied instead", [ask(cu.cuMemHostUnregister(p)), ask(cu.cuMemcpyHtoD(a, p, 1024)),
                                           y[[0, 1, 255]].tolist()]
    yield "a kernel with what is registered no more", lambda: run("saxpy", i32(256), np.float32(1), p, a, block=256)


@question("pages beside managed memory that are registered and let go leave it as it was")
def registered_and_gone():
    for size in (PAGE, 64 << 10):
        a = fresh()
        host_write(a, 7)
        facts_before = facts(a, PAGE)
        p = pages(size)
        codes = [ask(cu.cuMemHostRegister(p, size, 2)), ask(kernels.run("copy", p, a, i32(5))),
                 ctypes.string_at(p, 6).hex(),
                 ask(cu.cuMemHostUnregister(p))]
        unmap(p, size)
        yield f"{size}", [codes, host_byte(a), facts(a, PAGE) == facts_before, int_attribute("IS_MANAGED", a)]


@question("two views of one physical allocation and managed memory are copied round")
def two_views():
    handle, views = create(), [reserve(), reserve()]
    for v in views:
        must(cu.cuMemMap(v, LARGE, 0, handle, 0))
        must(set_access(v))
    a = fresh()
    ctypes.memmove(a, pattern(32), 32)
    yield "in by one", [ask(cu.cuMemcpyDtoD(views[0], a, 32)), wait(), read(views[1], 32) == pattern(32)]
    yield "changed by a kernel through the other", [ask(kernels.run("fill", views[1] + 4, i32(1), i32(3))),
                                                    ask(cu.cuMemcpyDtoD(a + 64, views[0], 8)), wait(),
                                                    ctypes.string_at(a + 64, 9).hex()]
    yield "one unmapped", [ask(cu.cuMemUnmap(views[0], LARGE)), ask(cu.cuMemcpyDtoD(a, views[0], 4)),
                           ask(cu.cuMemcpyDtoD(a, views[1], 4)), wait()]
    yield "managed memory after it", [host_byte(a), int_attribute("IS_MANAGED", a), int_attribute("IS_MANAGED", views[1])]
    yield "all given back", [ask(cu.cuMemUnmap(views[1], LARGE)), ask(cu.cuMemRelease(handle)),
                             *(ask(cu.cuMemAddressFree(v, LARGE)) for v in views)]


@question("virtual memory that may only be read, or not at all, is copied from or refused beside managed memory")
def rights():
    for label, rights_ in (("read and write", ["read and write"]), ("read", ["read"]), ("none set", []),
                           ("taken away", ["read and write", "none"])):
        a, v = fresh(), mapped(rights_).address
        host_write(a, 7)
        yield f"{label}: from it", lambda: [ask(cu.cuMemcpyDtoD(a, v, 8)), wait()]
        yield f"{label}: to it", lambda: [ask(cu.cuMemcpyDtoD(v, a, 8)), wait()]


@question("a kernel that goes through a managed pointer to virtual memory needs the right to it")
def through_pointers():
    for label, rights_ in (("read and write", ["read and write"]), ("read", ["read"]), ("none set", []),
                           ("taken away", ["read and write", "none"])):
        def cell():
            t = fresh()
            ctypes.c_uint64.from_address(t).value = mapped(rights_).address
            return t
        yield f"{label}: reads", lambda: run("gather", cell(), i32(1), fresh())
        yield f"{label}: writes", lambda: run("scatter", cell(), i32(1), i32(5))


@question("virtual memory on the host and managed memory are read by the host, and copied and moved alike")
def on_the_host():
    a, v = fresh(), make("mapped, on the host").address
    host_write(v, 9)
    host_write(a, 7)
    yield "by the host", [ctypes.memmove(a + 4, v, 4) == a + 4, ctypes.string_at(a, 9).hex()]
    yield "by a kernel", [ask(kernels.run("copy", v + 2, a, i32(4))), ctypes.string_at(v, 7).hex()]
    yield "by a copy", [ask(cu.cuMemcpyDtoD(a + 8, v, 6)), wait(), ctypes.string_at(a, 15).hex()]
    yield "prefetched", [prefetch(v, PAGE), prefetch(a, PAGE), wait(), host_byte(v), host_byte(a)]
    yield "told", [int_attribute("IS_MANAGED", v), int_attribute("IS_MANAGED", a), int_attribute("MEMORY_TYPE", v), int_attribute("MEMORY_TYPE", a)]


@question("pinned memory tells a kernel how much of a managed array to write, and gets back what it found")
def with_pinned():
    p, a = make("pinned").address, fresh()
    for count in (1, 100, 5000):
        cells = view(p, np.uint64, 2)
        cells[:] = a + count, 0
        yield f"{count}", [ask(kernels.run("fill", a, i32(3), i32(count), block=64)),
                           run("scatter", p, i32(1), i32(0x99)),
                           run("gather", p, i32(1), p + 8), int(cells[1]), host_byte(a + count - 1),
                           host_byte(a + count)]


@question("what was freed of one kind is refused, and what remains of managed memory works on")
def freed_beside():
    a = fresh()
    host_write(a, 7)
    for kind in ("freed device", "freed pinned", "unregistered", "freed reservation", "mapped", "reserved only"):
        block = make(kind)
        if kind in ("mapped", "reserved only"):
            block.release()
        yield kind, [ask(cu.cuMemcpyDtoD(a, block.address, 4)), wait(), host_byte(a),
                     ask(kernels.run("fill", a + 1, i32(1), i32(1))), ctypes.string_at(a, 3).hex()]


@question("a host address that an mmap had and managed memory are told apart by every query")
def told_apart():
    a, p = fresh(), pages()
    for label, address in (("managed", a), ("pageable", p)):
        yield f"{label}: attributes", [int_attribute(title, address) for title in ("MEMORY_TYPE", "IS_MANAGED", "MAPPED")]
        yield f"{label}: range", outcome(cu.cuMemGetAddressRange(address)[::2])
        yield f"{label}: flags, device pointer", [outcome(cu.cuMemHostGetFlags(address)),
                                                  ask(cu.cuMemHostGetDevicePointer(address, 0))]
    must(cu.cuMemHostRegister(p, PAGE, 0))
    yield "registered: range", outcome(cu.cuMemGetAddressRange(p + 5)[::2])
    yield "registered: flags, device pointer", [outcome(cu.cuMemHostGetFlags(p)),
                                                where(must(cu.cuMemHostGetDevicePointer(p, 0)), same=p)]


@question("a kernel fills managed memory, device memory and a module's variable alike, and the host compares them")
def compared():
    a, d = fresh(), make("device").address
    zeros = int(must(cu.cuModuleGetGlobal(kernels.module(), b"zeros"))[0])
    for place in ("device", "host"):
        prefetch_and_wait(a, 4 * MIB, place)
        codes = [ask(kernels.run("fill", one_, i32(5), i32(200), block=32)) for one_ in (a, d, zeros)]
        yield f"{place}: equal", [codes, read(d, 200) == read(a, 200) == ctypes.string_at(a, 200),
                                  read(zeros, 200) == read(a, 200)]
        yield f"{place}: one changed", [host_write(a + 7, 0, 1), read(d, 200) == read(a, 200),
                                        ask(cu.cuMemcpyDtoD(d, a, 200)), wait(),
                                        read(d, 200) == read(a, 200)]


@question("a stream copies managed memory to registered pages while the host writes other bytes of both")
def while_others_write():
    s, a, p = stream(), fresh(), make("registered").address
    for size in (64, 32 << 10):
        ctypes.memset(a, 7, 64 << 10)
        ctypes.memset(p, 1, 64 << 10)
        code = ask(cu.cuMemcpyDtoHAsync(p, a, size, s))
        host_write(a + size, 8, 8)
        host_write(p + size, 2, 8)
        yield f"{size}", [code, ask(cu.cuStreamSynchronize(s)), set(ctypes.string_at(p, size)) == {7},
                          ctypes.string_at(p + size, 9).hex(),
                          ctypes.string_at(a + size, 9).hex()]
    write(a, b"ab")
    yield "after it", [ctypes.string_at(a, 3).hex(), ask(kernels.run("copy", p, a, i32(2))),
                       ctypes.string_at(p, 3).hex()]
