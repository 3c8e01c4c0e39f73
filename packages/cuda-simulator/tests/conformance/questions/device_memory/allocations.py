"""Device memory: allocate, free, ask for its range; what cuMemGetInfo tells."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, new_context, outcome, pattern, raw, read, where, write
from ...helpers.kernels import i32
from ...helpers.memory_kinds import KINDS, blocks, make


@question("an allocation of no size is refused, and so is more than there is", quiet=True)
def sizes():
    total = int(must(cu.cuDeviceTotalMem(must(cu.cuDeviceGet(0)))))
    yield "0", ask(cu.cuMemAlloc(0))
    yield "1", ask(cu.cuMemAlloc(1))
    yield "all there is", ask(cu.cuMemAlloc(total))
    yield "more than there is", ask(cu.cuMemAlloc(total + 1))
    yield "2^46", ask(cu.cuMemAlloc(1 << 46))
    yield "2^63", ask(cu.cuMemAlloc(1 << 63))
    yield "2^64 - 1", ask(cu.cuMemAlloc((1 << 64) - 1))


@question("device memory is aligned to 512 bytes, and from 2 MiB on to 2 MiB")
def alignment():
    for size in (1, 100, 512, 513, 4096, 65536, 1 << 20, (1 << 20) + 1, (2 << 20) - 1, 2 << 20, (2 << 20) + 1, 3 << 20, 64 << 20):
        first = int(must(cu.cuMemAlloc(size)))
        for alignment in (512, 65536, 2 << 20):
            yield f"{size} bytes: to {alignment}", first % alignment == 0


@question("fresh small allocations of a fresh context follow one another", varies="the driver may place them anywhere")
def distances():
    for size in (1, 512, 513, 1000, 4096, 65536, 1 << 20, 2 << 20, 3 << 20):
        a, b = int(must(cu.cuMemAlloc(size))), int(must(cu.cuMemAlloc(size)))
        yield f"{size} bytes", b - a


@question("the range of an allocation is its start and exactly the bytes asked for, from any interior address")
def address_range():
    for size in (1, 100, 511, 512, 513, 4096, 65536, 1 << 20, 2 << 20, (2 << 20) + 1, 3 << 20):
        a = int(must(cu.cuMemAlloc(size)))
        for label, address in (("start", a), ("last byte", a + size - 1), ("one past the end", a + size)):
            result = cu.cuMemGetAddressRange(address)
            yield f"{size} bytes: {label}", [where(result[1], start=a), int(result[2])] if not int(result[0]) else ask(result)


@question("cuMemGetAddressRange answers for memory that the driver allocated or mapped")
def range_by_kind():
    for kind, block in blocks():
        a, n = block.address, block.size
        for label, address in (("start", a), ("interior", a + 9), ("last byte", a + n - 1)):
            result = cu.cuMemGetAddressRange(address)
            yield f"{kind}: {label}", [where(result[1], start=a), int(result[2])] if not int(result[0]) else ask(result)


@question("either answer of cuMemGetAddressRange may be left out")
def range_outputs():
    a = int(must(cu.cuMemAlloc(100)))
    out = ctypes.c_uint64()
    yield "no base", lambda: raw("cuMemGetAddressRange_v2", None, ctypes.byref(out), a)
    yield "size", lambda: out.value
    yield "no size", lambda: raw("cuMemGetAddressRange_v2", ctypes.byref(out), None, a)
    yield "neither", lambda: raw("cuMemGetAddressRange_v2", None, None, a)
    yield "cuMemAlloc without a place for the answer", lambda: raw("cuMemAlloc_v2", None, 100)
    yield "cuMemGetInfo without one", lambda: raw("cuMemGetInfo_v2", None, ctypes.byref(out))
    yield "cuMemGetInfo without the other", lambda: raw("cuMemGetInfo_v2", ctypes.byref(out), None)
    yield "cuMemAllocPitch without a pitch", lambda: raw("cuMemAllocPitch_v2", ctypes.byref(out), None, 100, 10, 4)


@question("cuMemFree takes the start of memory that cuMemAlloc or cuMemAllocManaged gave, or null")
def free_by_kind():
    for kind in KINDS:
        block = make(kind)
        yield f"{kind}: interior", lambda: ask(cu.cuMemFree(block.address + 512))
        yield f"{kind}: start", lambda: ask(cu.cuMemFree(block.address))
        yield f"{kind}: again", lambda: ask(cu.cuMemFree(block.address))


@question("a context's memory can be used and freed while another context is current")
def other_context():
    a = int(must(cu.cuMemAlloc(4096)))
    write(a, pattern(16))
    first = must(cu.cuCtxGetCurrent())
    second = new_context()
    b = int(must(cu.cuMemAlloc(4096)))
    yield "attribute: context", where(_context_of(a), first=first, second=second)
    yield "read", read(a, 16) == pattern(16)
    yield "copy", ask(cu.cuMemcpyDtoD(b, a, 16))
    yield "copied", read(b, 16) == pattern(16)
    yield "memset", ask(cu.cuMemsetD8(a, 1, 16))
    yield "range", ask(cu.cuMemGetAddressRange(a))
    yield "kernel", ask(kernels.run("copy", b, a, i32(16)))
    yield "free", ask(cu.cuMemFree(a))
    yield "free again", ask(cu.cuMemFree(a))
    must(cu.cuCtxSetCurrent(first))
    yield "free again in its own", ask(cu.cuMemFree(a))
    yield "memory of the second, in the first", ask(cu.cuMemcpyDtoH(bytearray(16), b, 16))
    must(cu.cuCtxDestroy(second))
    yield "after the second is gone", ask(cu.cuMemcpyDtoH(bytearray(16), b, 16))
    yield "free after the second is gone", ask(cu.cuMemFree(b))


def _context_of(address):
    return must(cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_CONTEXT, address))


@question("a kernel reaches device memory of another context of the same device")
def kernel_other_context():
    a = int(must(cu.cuMemAlloc(4096)))
    new_context()
    return ask(kernels.run("poke", a, i32(1)))


@question("free memory shrinks by the allocation and grows again when it is freed", quiet=True)
def info_tracks():
    def free():
        return int(must(cu.cuMemGetInfo())[0])
    total, device_total = int(must(cu.cuMemGetInfo())[1]), int(must(cu.cuDeviceTotalMem(0)))
    yield "total is the device's", total == device_total
    for mebibytes in (2, 3, 64, 1000):
        before = free()
        a = must(cu.cuMemAlloc(mebibytes << 20))
        taken_bytes = before - free()
        must(cu.cuMemFree(a))
        yield f"{mebibytes} MiB: taken", taken_bytes >> 20
        yield f"{mebibytes} MiB: given back", free() == before
    before = free()
    for _ in range(3):
        must(cu.cuMemAlloc(1))
    yield "three of one byte take at most 2 MiB", before - free() <= 2 << 20


@question("an address may come again after it was freed", varies="the driver's choice")
def reuse():
    for size in (100, 4096, 1 << 20, 4 << 20):
        a = int(must(cu.cuMemAlloc(size)))
        must(cu.cuMemFree(a))
        b = int(must(cu.cuMemAlloc(size)))
        yield f"{size} bytes", where(b, before=a)


@question("the pitch is the width rounded up to 512 bytes")
def pitch():
    for width in (1, 4, 100, 511, 512, 513, 1000, 4096, 5000, 1 << 20):
        for height in (1, 7):
            for element in (4, 8, 16):
                result = cu.cuMemAllocPitch(width, height, element)
                yield f"{width} x {height}, elements of {element}", int(result[2]) if not int(result[0]) else ask(result)


@question("pitched memory needs elements of 4, 8 or 16 bytes and a size in both directions")
def pitch_errors():
    for element in (0, 1, 2, 3, 5, 12, 32, 64):
        yield f"elements of {element}", ask(cu.cuMemAllocPitch(100, 10, element))
    yield "no width", ask(cu.cuMemAllocPitch(0, 10, 4))
    yield "no height", ask(cu.cuMemAllocPitch(100, 0, 4))
    yield "too wide", ask(cu.cuMemAllocPitch(1 << 40, 2, 4))
    yield "the largest", ask(cu.cuMemAllocPitch((1 << 64) - 1, 2, 4))
    yield "wraps around", ask(cu.cuMemAllocPitch(1 << 33, 1 << 33, 4))


@question("the range of pitched memory is pitch times height")
def pitch_range():
    for width, height in ((100, 10), (600, 3), (512, 1), (5000, 20)):
        a, pitch = must(cu.cuMemAllocPitch(width, height, 4))
        start, size = must(cu.cuMemGetAddressRange(a))
        yield f"{width} x {height}", [where(start, start=a), int(size) - int(pitch) * height]
        yield f"{width} x {height}: free", ask(cu.cuMemFree(a))


@question("the host cannot read device memory: segmentation fault")
def host_reads():
    for kind in ("device", "device, 3 MiB", "mapped", "reserved only", "module variable", "kernel heap", "stream-ordered",
                 "mapped, access never set", "mapped, on the host", "mapped, on the host, device access only",
                 "pinned", "registered", "managed", "managed, attached to the host"):
        yield kind, lambda: _host_reads(kind)


def _host_reads(kind):
    return len(ctypes.string_at(make(kind).address, 4))


@question("a kernel reaches an address, or its context ends with 700")
def kernel_reads():
    for kind in KINDS:
        yield f"{kind}: read", lambda: _kernel_at(kind, "peek")
        yield f"{kind}: write", lambda: _kernel_at(kind, "poke")


def _kernel_at(kind, how):
    out = int(must(cu.cuMemAlloc(4)))
    block = make(kind)
    result = kernels.run(how, block.address, out if how == "peek" else i32(1))
    return ask(result)


@question("a kernel that reads a little past an allocation is not noticed; far past it is", stricter={
    f"{offset} past the end of 100 bytes": "the H200's driver has something of its own there" for offset in (2 << 20, 64 << 20)})
def kernel_past_the_end():
    for offset in (0, 3, 4, 511, 512, 4096, 65536, 2 << 20, 64 << 20, 1 << 40):
        yield f"{offset} past the end of 100 bytes", lambda: _peek_past(100, offset)


def _peek_past(size, offset):
    a, out = int(must(cu.cuMemAlloc(size))), int(must(cu.cuMemAlloc(4)))
    return ask(kernels.run("peek", a + size + offset, out))


@question("freeing memory that a running kernel uses waits for the kernel")
def free_waits():
    import threading
    import time
    flag = int(must(cu.cuMemHostAlloc(4096, 0)))
    cell = (ctypes.c_int * 2).from_address(flag)
    cell[0] = cell[1] = 0
    a = must(cu.cuMemAlloc(4096))
    stream = must(cu.cuStreamCreate(1))
    must(kernels.launch("wait_for", flag, flag + 4, stream=int(stream)))
    thread = threading.Thread(target=lambda: (time.sleep(0.3), cell.__setitem__(0, 1)))
    thread.start()
    freed = ask(cu.cuMemFree(a))
    waited = ask(cu.cuStreamQuery(stream)) == "SUCCESS"
    thread.join()
    return [freed, "waited" if waited else "did not wait"]


@question("a hundred gibibytes may be allocated, and are taken from free memory", quiet=True, varies="the size of the device's memory")
def large():
    result = cu.cuMemAlloc(100 << 30)
    yield "100 GiB", ask(result)
    yield "range", outcome(cu.cuMemGetAddressRange(result[1])[::2])


@question("freed small device memory: copies are refused at once; a kernel may still reach the piece it was cut from")
def freed_small():
    out, a, b = (int(must(cu.cuMemAlloc(100))) for _ in range(3))
    must(cu.cuMemFree(a))
    yield "DtoH", lambda: ask(cu.cuMemcpyDtoH(bytearray(4), a, 4))
    yield "memset", lambda: ask(cu.cuMemsetD8(a, 1, 4))
    yield "kernel reads", lambda: ask(kernels.run("peek", a, out))
