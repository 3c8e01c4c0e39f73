"""Rectangles, pages and pieces in less common positions."""
import ctypes
import mmap
import os
import tempfile

from cuda.bindings import driver as cu

from .. import kernels
from ..asking import question
from ..calls import ask, must, new_context, pattern, raw, read, told, write
from ..kernels import i32
from ..memory_kinds import location, make, pages, unmap

HOST, DEVICE, UNIFIED = (cu.CUmemorytype(n) for n in (1, 2, 4))


def rectangle(come, to, width, height, come_pitch=0, to_pitch=0, x=(0, 0), y=(0, 0), types=(UNIFIED, UNIFIED)):
    """A CUDA_MEMCPY2D; x and y are (source, destination)."""
    shape = cu.CUDA_MEMCPY2D()
    shape.srcMemoryType, shape.dstMemoryType = types
    shape.srcDevice, shape.dstDevice = cu.CUdeviceptr(come), cu.CUdeviceptr(to)
    shape.srcHost, shape.dstHost = come, to
    shape.srcPitch, shape.dstPitch = come_pitch, to_pitch
    (shape.srcXInBytes, shape.dstXInBytes), (shape.srcY, shape.dstY) = x, y
    shape.WidthInBytes, shape.Height = width, height
    return shape


@question("a rectangle within one allocation, its source beside or over its destination")
def rectangles_within():
    a = int(must(cu.cuMemAlloc(1 << 16)))
    for label, to, width, height, pitch in (("beside", 32, 32, 8, 64), ("interleaved rows", 64, 64, 8, 128), ("far away", 32768, 100, 5, 256)):
        write(a, pattern(1 << 16))
        must(cu.cuCtxSynchronize())
        yield label, ask(cu.cuMemcpy2D(rectangle(a, a + to, width, height, pitch, pitch)))
        before, after = pattern(1 << 16), read(a, 1 << 16)
        wanted = bytearray(before)
        for row in range(height):
            wanted[to + row * pitch:to + row * pitch + width] = before[row * pitch:row * pitch + width]
        yield f"{label}: content", after == bytes(wanted)


@question("a rectangle's pitch may be larger than the allocation if the rectangle is not")
def pitches():
    a, host = make("device").address, make("pageable").address
    for label, width, height, pitch in (("one row, a huge pitch", 64, 1, 1 << 40), ("one row, the largest pitch", 64, 1, (1 << 31) - 1),
                                        ("one row, a larger one", 64, 1, 1 << 31), ("two rows, the second outside", 64, 2, 1 << 20),
                                        ("two rows that just fit", 64, 2, (64 << 10) - 64), ("two rows that just do not", 64, 2, (64 << 10) - 63),
                                        ("odd pitch", 3, 5, 7), ("a pitch of the width", 100, 100, 100), ("all of it in one row", 64 << 10, 1, 0),
                                        ("no pitch, many rows", 16, 4096, 0)):
        yield f"{label}: from the device", ask(cu.cuMemcpy2D(rectangle(a, host, width, min(height, 2), pitch, 0, types=(DEVICE, HOST))))
        yield f"{label}: to the device", ask(cu.cuMemcpy2DUnaligned(rectangle(host, a, width, height, 0, pitch, types=(HOST, DEVICE))
                                                                  if width * height <= 64 << 10 else rectangle(host, a, 1, 1)))


@question("rectangles between memory of every two kinds that are told by their address")
def rectangles_by_kind():
    sides = ("device", "pinned", "registered", "managed", "mapped", "mapped, on the host", "stream-ordered", "pageable", "module variable")
    for one in sides:
        for other in sides:
            come, to = make(one).address, make(other).address
            yield f"{one} to {other}", lambda: ask(cu.cuMemcpy2D(rectangle(come, to, 5, 3, 16, 24)))


@question("a box may be copied between allocations by a peer copy in one context, with its rows apart")
def boxes():
    a, b = make("device").address, make("device").address
    write(a, pattern(4096))
    must(cu.cuCtxSynchronize())
    shape = cu.CUDA_MEMCPY3D()
    shape.srcMemoryType = shape.dstMemoryType = DEVICE
    shape.srcDevice, shape.dstDevice = cu.CUdeviceptr(a), cu.CUdeviceptr(b)
    shape.srcPitch, shape.srcHeight, shape.dstPitch, shape.dstHeight = 32, 8, 16, 5
    shape.srcXInBytes, shape.srcY, shape.srcZ, shape.dstXInBytes, shape.dstY, shape.dstZ = 3, 1, 1, 2, 1, 1
    shape.WidthInBytes, shape.Height, shape.Depth = 9, 4, 3
    must(cu.cuMemsetD8(b, 0xEE, 4096))
    yield "copy", ask(cu.cuMemcpy3D(shape))
    wanted = bytearray(b"\xEE" * 512)
    for layer in range(3):
        for row in range(4):
            start, goal = ((layer + 1) * 8 + row + 1) * 32 + 3, ((layer + 1) * 5 + row + 1) * 16 + 2
            wanted[goal:goal + 9] = pattern(4096)[start:start + 9]
    yield "content", read(b, 512) == bytes(wanted)
    for part, value in (("srcHeight", 4), ("dstPitch", 10), ("srcPitch", 11), ("dstHeight", 4), ("Depth", 0), ("Depth", 1000), ("srcLOD", 1), ("dstLOD", 1)):
        old = getattr(shape, part)
        setattr(shape, part, value)
        yield f"{part} {value}", ask(cu.cuMemcpy3D(shape))
        setattr(shape, part, old)


@question("registering a range whose pages are of several kinds", stricter={
    "closed to writing after it was registered: a kernel": "the device does not look at the host's rights; here the kernel faults"})
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
                for wanted in (0, 8):
                    yield f"{label}, protection {protection}, flags {wanted}", [ask(cu.cuMemHostRegister(address, 8192, wanted)),
                                                                               ask(cu.cuMemHostUnregister(address))]
    both = os.memfd_create("short")
    os.ftruncate(both, 4096)
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    address = libc.mmap(None, ctypes.c_size_t(8192), 3, mmap.MAP_SHARED, both, ctypes.c_long(0))
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
    yield "range over two", told(cu.cuMemGetAddressRange(a)[::2])
    yield "pages given back, then registered anew", _registered_anew()


def _registered_anew():
    a = pages()
    must(cu.cuMemHostRegister(a, 4096, 0))
    must(cu.cuMemHostUnregister(a))
    unmap(a)
    b = pages(address=a)
    return [b == a, ask(cu.cuMemHostRegister(b, 4096, 0)), ask(cu.cuMemHostGetDevicePointer(b, 0))]


@question("SYNC_MEMOPS of a kind, before and after it was set and unset")
def sync_memops():
    for kind in ("device", "pinned", "registered", "managed", "stream-ordered", "mapped", "module variable", "mapped, on the host"):
        address = make(kind).address
        answers = [told(cu.cuPointerGetAttribute(cu.CUpointer_attribute(6), address))]
        for value in (True, False):
            answers += [ask(cu.cuPointerSetAttribute(value, cu.CUpointer_attribute(6), address)),
                        told(cu.cuPointerGetAttribute(cu.CUpointer_attribute(6), address))]
        yield kind, answers


@question("several range attributes in one call, and the devices that were said to use a range")
def range_attributes():
    a = make("managed").address
    Range, Advice = cu.CUmem_range_attribute, cu.CUmem_advise
    must(cu.cuMemAdvise(a, 4096, Advice(5), location()))
    def told_devices(room):
        out = (ctypes.c_int * 8)(*[77] * 8)
        return [raw("cuMemRangeGetAttribute", out, room, ctypes.c_int(3), a, 4096), list(out)]
    for room in (0, 4, 8, 16, 6):
        yield f"accessed by, room for {room} bytes", lambda: told_devices(room)
    must(cu.cuMemAdvise(a, 4096, Advice(5), location("host")))
    yield "the host too", told_devices(16)
    must(cu.cuMemAdvise(a, 4096, Advice(6), location()))
    yield "the device no more", told_devices(16)
    must(cu.cuMemAdvise(a + 8192, 4096, Advice(1), location()))
    yield "read mostly over a part only", [told(cu.cuMemRangeGetAttribute(4, Range(1), a + 8192, 4096)),
                                           told(cu.cuMemRangeGetAttribute(4, Range(1), a, 16384)), told(cu.cuMemRangeGetAttribute(4, Range(1), a, 4096))]
    must(cu.cuMemPrefetchAsync(a, 65536, location(), 0, 0))
    must(cu.cuCtxSynchronize())
    one, two = ctypes.c_int(77), ctypes.c_int(77)
    yield "two attributes", lambda: [raw("cuMemRangeGetAttributes", (ctypes.c_void_p * 2)(ctypes.addressof(one), ctypes.addressof(two)),
                                         (ctypes.c_size_t * 2)(4, 4), (ctypes.c_int * 2)(1, 4), 2, a + 8192, 4096), one.value, two.value]
    yield "no attributes", lambda: raw("cuMemRangeGetAttributes", (ctypes.c_void_p * 1)(0), (ctypes.c_size_t * 1)(4), (ctypes.c_int * 1)(1), 0, a, 4096)
    yield "unknown attribute", lambda: raw("cuMemRangeGetAttribute", ctypes.byref(one), 4, ctypes.c_int(99), a, 4096)


@question("a kind's memory: fills of every width, in the middle and over its end")
def fills():
    for kind in ("device", "pinned", "registered, unaligned", "managed", "mapped", "stream-ordered", "module variable", "mapped, on the host"):
        block = make(kind)
        start = -(-(block.address + 8) // 4) * 4
        room = block.address + block.size - start
        for width, call in ((1, cu.cuMemsetD8), (2, cu.cuMemsetD16), (4, cu.cuMemsetD32)):
            yield f"{kind}: {width}, all of the rest", ask(call(start, 1, room // width))
            yield f"{kind}: {width}, one more", ask(call(start, 1, room // width + 1))
        for width, call in ((1, cu.cuMemsetD2D8), (2, cu.cuMemsetD2D16), (4, cu.cuMemsetD2D32)):
            yield f"{kind}: {width}, 3 of 5 in rows", ask(call(start, 5 * width, 1, 3, 4))
            yield f"{kind}: {width}, an odd pitch", ask(call(start, 5 * width + 1, 1, 3, 4))
        yield f"{kind}: wait", ask(cu.cuCtxSynchronize())


@question("contexts tell what they are")
def contexts():
    first = must(cu.cuCtxGetCurrent())
    yield "version", told(cu.cuCtxGetApiVersion(first))
    yield "version of the null context", told(cu.cuCtxGetApiVersion(0))
    ids = [told(cu.cuCtxGetId(first)), told(cu.cuCtxGetId(new_context()))]
    yield "numbers differ", ids[0] != ids[1]
    yield "number of the null context is the current one's", told(cu.cuCtxGetId(0)) == ids[1]
    yield "reset persisting", ask(cu.cuCtxResetPersistingL2Cache())


@question("the primary context's memory ends with its last release or a reset, and its handle comes again")
def primary_memory():
    before = must(cu.cuCtxGetCurrent())
    primary = must(cu.cuDevicePrimaryCtxRetain(0))
    again = must(cu.cuDevicePrimaryCtxRetain(0))
    yield "the same context", int(primary) == int(again)
    must(cu.cuCtxPushCurrent(primary))
    a, p = int(must(cu.cuMemAlloc(4096))), int(must(cu.cuMemHostAlloc(4096, 0)))
    yield "release once", [ask(cu.cuDevicePrimaryCtxRelease(0)), ask(cu.cuMemsetD8(a, 1, 16))]
    yield "flags while active", ask(cu.cuDevicePrimaryCtxSetFlags(0, 1))
    yield "reset", ask(cu.cuDevicePrimaryCtxReset(0))
    yield "memory after the reset", [ask(cu.cuMemsetD8(a, 1, 16)), ask(cu.cuMemHostGetFlags(p))]
    yield "state after the reset", told(cu.cuDevicePrimaryCtxGetState(0))
    must(cu.cuCtxSetCurrent(before))
    yield "its memory from another context", ask(cu.cuMemcpyDtoH(bytearray(4), a, 4))
    third = cu.cuDevicePrimaryCtxRetain(0)
    yield "retained anew", [ask(third), int(third[1]) == int(primary)]
    yield "release, and once too often", [ask(cu.cuDevicePrimaryCtxRelease(0)) for _ in range(3)]
    yield "device 9", [ask(cu.cuDevicePrimaryCtxReset(9)), ask(cu.cuDevicePrimaryCtxSetFlags(9, 0))]
    must(cu.cuDevicePrimaryCtxSetFlags(0, 0))


@question("devices: names, numbers and what peers could do")
def devices():
    yield "uuid is not nothing", any(must(cu.cuDeviceGetUuid(0)).bytes)
    for number in range(1, 6):
        try:
            kind = cu.CUdevice_P2PAttribute(number)
        except ValueError:
            continue
        yield f"peer attribute {number} of a device and itself", told(cu.cuDeviceGetP2PAttribute(kind, 0, 0))
        yield f"peer attribute {number} of a device that is not there", told(cu.cuDeviceGetP2PAttribute(kind, 0, 9))
    yield "loading mode", told(cu.cuModuleGetLoadingMode())
    yield "texture width", lambda: told(cu.cuDeviceGetTexture1DLinearMaxWidth(cu.CUarray_format(0x20), 1, 0))
    yield "texture width, four channels", lambda: told(cu.cuDeviceGetTexture1DLinearMaxWidth(cu.CUarray_format(0x20), 4, 0))
    yield "texture width, bytes", lambda: told(cu.cuDeviceGetTexture1DLinearMaxWidth(cu.CUarray_format(1), 1, 0))
    yield "texture width, three channels", lambda: told(cu.cuDeviceGetTexture1DLinearMaxWidth(cu.CUarray_format(0x20), 3, 0))
    for target in (0, 1):
        for scope in (100, 200, 5):
            yield f"flush writes to {target}, scope {scope}", lambda: raw("cuFlushGPUDirectRDMAWrites", ctypes.c_int(target), ctypes.c_int(scope))


@question("a kernel reads what another wrote, in memory of every kind that it may reach")
def kernels_by_kind():
    out = int(must(cu.cuMemAlloc(64)))
    for kind in ("device", "pinned", "registered", "registered, unaligned", "managed", "mapped", "mapped, on the host", "stream-ordered", "module variable"):
        block = make(kind)
        yield kind, [ask(kernels.run("fill", block.address + 5, i32(100), i32(9), grid=2, block=3)),
                     ask(kernels.run("copy", out, block.address + 5, i32(9))), read(out, 9).hex()]
