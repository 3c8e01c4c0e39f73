"""Copies and memsets of managed memory in common use: pitched, in layers, in a row of kinds, odd bytes, wrong ones."""
import ctypes
import mmap
import tempfile

import numpy as np
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, pattern, read, short, write
from ...helpers.kernels import i32
from ...helpers.managed_calls import free_one
from ...helpers.managed_memory import MIB, PAGE, facts, fresh, host_byte, host_write, prefetch_and_wait, view
from ...helpers.memory_kinds import location, make, pages
from ...helpers.rectangles import DEVICE, HOST, UNIFIED, rectangle
from ...helpers.streams import stream


def wait():
    return ask(cu.cuCtxSynchronize())


@question("rows of pitched device memory are copied to managed memory without their pitch, and back")
def pitched():
    device, pitch = must(cu.cuMemAllocPitch(100, 7, 4))
    a, back = fresh(), fresh()
    ctypes.memmove(a, pattern(700), 700)
    for label, types in (("as device", (DEVICE, DEVICE)), ("unified", (UNIFIED, UNIFIED)), ("as host", (HOST, DEVICE))):
        codes = [ask(cu.cuMemcpy2D(rectangle(a, device, 100, 7, 100, pitch, types=types))),
                 ask(cu.cuMemcpy2D(rectangle(device, back, 100, 7, pitch, 100, types=types[::-1])))]
        yield label, [codes, wait(), ctypes.string_at(back, 700) == pattern(700)]
        host_write(back, 0, 700)
    yield "one column", [ask(cu.cuMemcpy2D(rectangle(device, back, 1, 7, pitch, 3, x=(99, 2)))), wait(),
                         ctypes.string_at(back, 24).hex()]


@question("layers of a box in managed memory are copied to device memory and back")
def layers():
    a, d, back = fresh(), make("device").address, fresh()
    ctypes.memmove(a, pattern(3 * 8 * 16), 3 * 8 * 16)

    def box(source, to, width, height, depth, z=(0, 0), types=(DEVICE, DEVICE)):
        shape = cu.CUDA_MEMCPY3D()
        shape.srcMemoryType, shape.dstMemoryType = types
        shape.srcDevice, shape.dstDevice = cu.CUdeviceptr(source), cu.CUdeviceptr(to)
        shape.srcHost, shape.dstHost = source, to
        shape.srcPitch = shape.dstPitch = 16
        shape.srcHeight = shape.dstHeight = 8
        shape.srcZ, shape.dstZ = z
        shape.WidthInBytes, shape.Height, shape.Depth = width, height, depth
        return ask(cu.cuMemcpy3D(shape))
    yield "all", [box(a, d, 16, 8, 3), box(d, back, 16, 8, 3), wait(), ctypes.string_at(back, 384) == pattern(384)]
    host_write(back, 0, 384)
    yield "the last layer to the first", [box(a, back, 4, 2, 1, (2, 0)), wait(), short(ctypes.string_at(back, 24))]
    yield "as host memory", [box(d, back, 16, 8, 1, (1, 2), (DEVICE, HOST)),
                             ctypes.string_at(back + 256, 128) == pattern(384)[128:256]]
    for label, extent in (("no layers", (4, 2, 0)), ("no rows", (4, 0, 2)), ("wider than its pitch", (17, 2, 1))):
        yield label, box(a, back, *extent)


@question("content passes from pageable memory through five kinds to managed memory unchanged, by any copy")
def in_a_row():
    copies = {"unified": lambda to, source, n: cu.cuMemcpy(to, source, n), "unified, later": lambda to, source,
              n: cu.cuMemcpyAsync(to, source, n, 0)}
    kinds = ("managed", "device", "managed, attached to the host", "pinned", "mapped", "managed")
    for label, call in copies.items():
        for size in (1, 1000, 64 << 10):
            host = pages()
            ctypes.memmove(host, pattern(size), size)
            chain, codes = [host, *(make(kind).address for kind in kinds)], []
            for source, target in zip(chain, chain[1:]):
                codes += [ask(call(target, source, size)), wait()]
            yield f"{label}, {size} bytes", [sorted(set(codes)), ctypes.string_at(chain[-1], size) == pattern(size)]


@question("a copy of odd bytes changes just these")
def odd_bytes():
    d = make("device").address
    write(d, pattern(8192))
    for offset, size in ((1, 1), (4095, 2), (3, 4099), (2 * MIB - 5, 11)):
        for verb, call in (("DtoD", lambda to: cu.cuMemcpyDtoD(to, d + 1, size)),
                           ("HtoD", lambda to: cu.cuMemcpyHtoD(to, pattern(8192)[1:size + 1], size))):
            a = fresh()
            ctypes.memset(a, 0xEE, 4 * MIB)
            code = [ask(call(a + offset)), wait()]
            content = ctypes.string_at(a, 4 * MIB)
            yield f"{verb}: {size} at {offset}", [code, content[offset:offset + size] == pattern(8192)[1:size + 1],
                                                  set(content[:offset]) | set(content[offset + size:]) == {0xEE}]


@question("memsets of rows leave what is between the rows, in the NULL stream and in another")
def gaps():
    s = stream()
    calls = {"D2D8": lambda a: cu.cuMemsetD2D8(a + 1, 7, 0x11, 3, 4),
             "D2D16": lambda a: cu.cuMemsetD2D16(a + 2, 8, 0x2211, 2, 3),
             "D2D32": lambda a: cu.cuMemsetD2D32(a + 4, 16, 0x44332211, 1, 2),
             "D2D8Async": lambda a: cu.cuMemsetD2D8Async(a, 5, 0x11, 5, 3, s),
             "D2D16Async": lambda a: cu.cuMemsetD2D16Async(a, 6, 0x2211, 1, 4, s),
             "D2D32Async": lambda a: cu.cuMemsetD2D32Async(a, 12, 0x44332211, 2, 2, s)}
    for label, call in calls.items():
        a = fresh()
        host_write(a, 0xEE, 40)
        yield label, [ask(call(a)), wait(), ctypes.string_at(a, 36).hex()]


@question("a memset over halves that lie in two places is one memset, and the host's arithmetic goes on from it")
def over_two_places():
    a = fresh()
    prefetch_and_wait(a, 2 * MIB, "device")
    prefetch_and_wait(a + 2 * MIB, 2 * MIB, "host")
    cells = view(a, np.int32, MIB)
    yield "set", [ask(cu.cuMemsetD32(a, 3, MIB)), wait(), int(cells.sum())]
    cells[::1024] += 1
    yield "added to, set in the middle", [ask(cu.cuMemsetD32(a + 2 * MIB - 4, 0, 2)), wait(), int(cells.sum())]
    yield "a float", [ask(cu.cuMemsetD32(a, int(np.float32(-1.5).view(np.uint32)), 4)), wait(),
                      view(a, np.float32, 5).tolist()]
    yield "what it says", [facts(a, 2 * MIB), facts(a + 2 * MIB, 2 * MIB)]


@question("managed memory is copied to a module's variable and its constants, and from them")
def module_variables():
    a = fresh()
    for title, size in (("zeros", 256), ("table", 64)):
        variable = int(must(cu.cuModuleGetGlobal(kernels.module(), title.encode()))[0])
        ctypes.memmove(a, pattern(size), size)
        yield f"{title}: in", [ask(cu.cuMemcpyDtoD(variable, a, size)), wait(), read(variable, size) == pattern(size)]
        yield f"{title}: out", [ask(cu.cuMemcpyDtoD(a + 1000, variable + 8, 8)), wait(),
                                ctypes.string_at(a + 1000, 8) == pattern(16)[8:]]
        yield f"{title}: a byte too many", [ask(cu.cuMemcpy(a + 2000, variable, size - 1)), wait(),
                                            ctypes.string_at(a + 2000, size - 1) == pattern(size - 1)]


@question("a file that is mapped by the host is copied to managed memory and back")
def mapped_files():
    with tempfile.TemporaryFile() as file:
        file.write(pattern(PAGE))
        file.flush()
        view_, a = mmap.mmap(file.fileno(), PAGE), fresh()
        address = ctypes.addressof(cell := ctypes.c_char.from_buffer(view_))
        yield "in", [ask(cu.cuMemcpyHtoD(a, address, PAGE)), ctypes.string_at(a, PAGE) == pattern(PAGE)]
        yield "changed by a kernel, out", [ask(kernels.run("fill", a, i32(0x41), i32(5))),
                                           ask(cu.cuMemcpyDtoH(address, a, 8)), view_[:9].hex()]
        yield "unified, out and in", [ask(cu.cuMemcpy(address + 100, a, 5)), wait(),
                                      ask(cu.cuMemcpy(a + 5, address + 98, 7)), wait(),
                                      ctypes.string_at(a, 12).hex()]
        del cell


@question("a copy of four times the bytes that there are is refused, and changes nothing")
def too_many():
    for size in (400, 64 << 10, 4 * MIB):
        a, d, host = fresh(size), int(must(cu.cuMemAlloc(16 * MIB))), pages(16 * MIB)
        host_write(a, 7, size)
        for label, call in (("HtoD", lambda: cu.cuMemcpyHtoD(a, host, 4 * size)),
                            ("DtoD", lambda: cu.cuMemcpyDtoD(a, d, 4 * size)),
                            ("DtoH", lambda: cu.cuMemcpyDtoH(host, a, 4 * size)),
                            ("memset", lambda: cu.cuMemsetD32(a, 0, size))):
            yield f"{size}: {label}", [ask(call()), wait(), host_byte(a), host_byte(a + size - 1)]


@question("copies with a freed managed address are refused by the directed calls, later ones too")
def freed():
    d, host = make("device").address, pages()
    calls = {"DtoHAsync": lambda a: cu.cuMemcpyDtoHAsync(host, a, 8, 0),
             "HtoDAsync": lambda a: cu.cuMemcpyHtoDAsync(a, host, 8, 0),
             "DtoDAsync from": lambda a: cu.cuMemcpyDtoDAsync(d, a, 8, 0),
             "DtoDAsync to": lambda a: cu.cuMemcpyDtoDAsync(a, d, 8, 0),
             "2D": lambda a: cu.cuMemcpy2D(rectangle(a, d, 4, 2, 8, 8, types=(DEVICE, DEVICE))),
             "memset in rows": lambda a: cu.cuMemsetD2D32(a, 16, 1, 2, 2),
             "memset later": lambda a: cu.cuMemsetD16Async(a, 1, 2, 0)}
    for label, call in calls.items():
        yield label, lambda: [ask(call(free_one())), wait()]
    yield "unified, from", lambda: ask(cu.cuMemcpy(d, free_one(), 8))
    yield "unified, to", lambda: ask(cu.cuMemcpy(free_one(), d, 8))


@question("a copy between managed memory and null is refused where null is on the device's side", alone=True)
def null():
    a = fresh()
    host_write(a, 7)
    for label, call in (("DtoD from", lambda: cu.cuMemcpyDtoD(a, 0, 8)), ("DtoD to", lambda: cu.cuMemcpyDtoD(0, a, 8)),
                        ("HtoD to", lambda: cu.cuMemcpyHtoD(0, a, 8)), ("DtoH from", lambda: cu.cuMemcpyDtoH(a, 0, 8)),
                        ("memset", lambda: cu.cuMemsetD8(0, 1, 8))):
        yield label, lambda: [ask(call()), wait(), host_byte(a)]
    for label, call in (("HtoD from", lambda: cu.cuMemcpyHtoD(a, 0, 8)), ("DtoH to", lambda: cu.cuMemcpyDtoH(0, a, 8)),
                        ("unified from", lambda: cu.cuMemcpy(a, 0, 8)), ("unified to", lambda: cu.cuMemcpy(0, a, 8))):
        yield f"{label}: the host's side", lambda: [ask(call()), wait()]


@question("a copy or memset whose count of bytes is more than there are addresses is refused", alone=True)
def huge_counts():
    a, d = fresh(), make("device").address
    host_write(a, 7)
    for label, count in (("2^63", 1 << 63), ("2^64 - 1", (1 << 64) - 1), ("2^64 - 4096", (1 << 64) - PAGE)):
        yield f"{label}: memset", lambda: [ask(cu.cuMemsetD8(a, 1, count)), wait()]
        yield f"{label}: DtoD", lambda: [ask(cu.cuMemcpyDtoD(d, a, count)), wait()]
    yield "2^62 of four bytes", lambda: [ask(cu.cuMemsetD32(a, 1, 1 << 62)), wait()]
    yield "content", lambda: host_byte(a)


@question("copies in a batch between managed, device and pinned memory arrive, and a size of none refuses them",
          alone=True)
def batches():
    s, a, d, p = stream(), fresh(), make("device").address, make("pinned").address
    ctypes.memmove(a, pattern(256), 256)

    def batch(*copies, on=s, hint=None):
        attributes = cu.CUmemcpyAttributes()
        attributes.srcAccessOrder = cu.CUmemcpySrcAccessOrder(1)
        if hint:
            attributes.dstLocHint = location(hint)
        to, source, sizes = zip(*copies)
        return ask(cu.cuMemcpyBatchAsync([cu.CUdeviceptr(address) for address in to], [cu.CUdeviceptr(address) for address in source],
                                         list(sizes),
                                         len(sizes), [attributes], [0], 1, on))
    yield "three at once", [batch((d, a, 64), (p, a + 64, 64), (a + 1000, a + 128, 64)),
                            ask(cu.cuStreamSynchronize(s)),
                            read(d, 64) == pattern(64), ctypes.string_at(p, 64) == pattern(128)[64:],
                            ctypes.string_at(a + 1000, 64) == pattern(192)[128:]]
    yield "and back", [batch((a + 2000, d, 3), (a + 2003, p, 3)), ask(cu.cuStreamSynchronize(s)),
                       ctypes.string_at(a + 2000, 7).hex()]
    yield "a size of none", lambda: [batch((d, a, 4), (d + 8, a, 0)), ask(cu.cuStreamSynchronize(s))]
    yield "a freed one", lambda: [batch((d, free_one(), 4)), ask(cu.cuStreamSynchronize(s))]
    yield "the NULL stream", lambda: batch((d, a, 4), on=0)
    yield "the host as a hint", lambda: [batch((d, a, 4), hint="host"), ask(cu.cuStreamSynchronize(s))]
