"""Pinned host memory: allocate, ask for its flags and its device address, free."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import DRIVER, question
from ...helpers import kernels
from ...helpers.calls import ask, must, name, new_context, outcome, pattern, raw, read, where
from ...helpers.kernels import i32
from ...helpers.memory_kinds import KINDS, blocks, make, pages


@question("pinned memory takes the flags 0 to 7, and unknown flag bits are refused")
def flags_accepted():
    for flags in [*range(17), 32, 64, 1 << 30, 1 << 31]:
        yield f"flags {flags}", ask(cu.cuMemHostAlloc(4096, flags))


@question("the flags of pinned memory read back with devicemap always on, and portable as the larger piece has it")
def flags_read_back():
    for flags in range(8):
        yield f"flags {flags}", outcome(cu.cuMemHostGetFlags(must(cu.cuMemHostAlloc(4096, flags))))
    yield "cuMemAllocHost", outcome(cu.cuMemHostGetFlags(must(cu.cuMemAllocHost(4096))))
    context = must(cu.cuCtxGetCurrent())
    new_context(cu.CUctx_flags.CU_CTX_MAP_HOST.value)
    yield "in a context with MAP_HOST", outcome(cu.cuMemHostGetFlags(must(cu.cuMemHostAlloc(4096, 0))))
    must(cu.cuCtxSetCurrent(context))


@question("the device address of pinned memory is the host address, whatever the flags")
def device_pointer_is_the_host_pointer():
    for flags in range(8):
        host = int(must(cu.cuMemHostAlloc(4096, flags)))
        yield f"flags {flags}", where(must(cu.cuMemHostGetDevicePointer(host, 0)), host=host)


@question("pinned memory is aligned to 512 bytes, from 2 MiB on to pages",
          varies={f"{size} bytes, aligned to 4096": "where in a larger piece the driver puts it" for size in
                  (1, 2, 511, 512, 4095, 4096, 4097, 65536, 1 << 20)})
def alignment():
    for size in (1, 2, 511, 512, 4095, 4096, 4097, 65536, 1 << 20, 2 << 20, (2 << 20) + 1, 32 << 20):
        host = int(must(cu.cuMemHostAlloc(size, 0)))
        yield f"{size} bytes, aligned to 512", host % 512 == 0
        yield f"{size} bytes, aligned to 4096", host % 4096 == 0


@question("pinned memory of no size is refused, and so is more than there is")
def sizes():
    yield "0", ask(cu.cuMemHostAlloc(0, 0))
    yield "0, cuMemAllocHost", ask(cu.cuMemAllocHost(0))
    yield "2^46", ask(cu.cuMemHostAlloc(1 << 46, 0))
    yield "2^62", ask(cu.cuMemHostAlloc(1 << 62, 0))
    yield "2^64 - 1", ask(cu.cuMemHostAlloc((1 << 64) - 1, 0))
    yield "2^64 - 1, cuMemAllocHost", ask(cu.cuMemAllocHost((1 << 64) - 1))
    yield "0 with unknown flags", ask(cu.cuMemHostAlloc(0, 64))


@question("the driver knows exactly the bytes of pinned memory that were asked for")
def known_size():
    for size in (1, 100, 4095, 4096, 5000, 65536):
        host = int(must(cu.cuMemHostAlloc(size, 0)))
        start, length = must(cu.cuMemGetAddressRange(host))
        yield f"{size}: range", [where(start, host=host), int(length)]
        yield f"{size}: last byte", where(must(cu.cuMemHostGetDevicePointer(host + size - 1, 0)), host=host)
        yield f"{size}: one past the end", ask(cu.cuMemHostGetDevicePointer(host + size, 0))


@question("the host address has a device address where, and only where, memory is pinned or registered")
def device_pointer_by_kind():
    for kind, block in blocks():
        a, n = block.address, block.size
        for label, address in (("start", a), ("interior", a + 5), ("last byte", a + n - 1), ("one past the end", a + n)):
            result = cu.cuMemHostGetDevicePointer(address, 0)
            yield f"{kind}: {label}", where(result[1], start=a) if not int(result[0]) else ask(result)
        for flags in (1, 2, 1 << 31):
            yield f"{kind}: flags {flags}", ask(cu.cuMemHostGetDevicePointer(a, flags))


@question("host flags are known of pinned and registered memory, interior addresses included")
def host_flags_by_kind():
    for kind, block in blocks():
        a, n = block.address, block.size
        for label, address in (("start", a), ("interior", a + 5), ("last byte", a + n - 1), ("one past the end", a + n)):
            yield f"{kind}: {label}", outcome(cu.cuMemHostGetFlags(address))


@question("cuMemFreeHost takes the start of pinned memory, and nothing else")
def free_host_by_kind():
    for kind in KINDS:
        block = make(kind)
        yield f"{kind}: interior", lambda: ask(cu.cuMemFreeHost(block.address + 512))
        yield f"{kind}: start", lambda: ask(cu.cuMemFreeHost(block.address))
        if kind.startswith("pinned"):
            yield f"{kind}: again", lambda: ask(cu.cuMemFreeHost(block.address))


@question("memory of cuMemAllocHost and cuMemHostAlloc is freed by cuMemFreeHost, not by cuMemFree")
def free_pinned_as_device():
    a = int(must(cu.cuMemHostAlloc(4096, 0)))
    b = int(must(cu.cuMemAllocHost(4096)))
    yield "cuMemFree", ask(cu.cuMemFree(a))
    yield "cuMemFreeAsync", ask(cu.cuMemFreeAsync(a, 0))
    yield "still there", outcome(cu.cuMemHostGetFlags(a))
    yield "cuMemFreeHost", ask(cu.cuMemFreeHost(a))
    yield "cuMemFreeHost of cuMemAllocHost", ask(cu.cuMemFreeHost(b))


@question("fresh pinned memory is zero")
def fresh_content():
    host = int(must(cu.cuMemHostAlloc(1 << 20, 0)))
    return set(ctypes.string_at(host, 1 << 20)) == {0}


@question("a kernel reads and writes pinned memory at its host address")
def kernel_uses_host_address():
    for flags in range(8):
        host = int(must(cu.cuMemHostAlloc(4096, flags)))
        ctypes.memset(host, 0, 4096)
        ran = cu.CUresult(int(kernels.run("fill", host + 16, i32(3), i32(8))[0]))
        yield f"flags {flags}", [name(ran), ctypes.string_at(host + 14, 12).hex()]


@question("what the host writes to pinned memory while a kernel runs, the kernel sees, and the other way round")
def visible_while_running():
    host = int(must(cu.cuMemHostAlloc(4096, 2)))
    cell = (ctypes.c_int * 2).from_address(host)
    cell[0] = cell[1] = 0
    stream = must(cu.cuStreamCreate(1))
    launched = ask(kernels.launch("wait_for", host, host + 4, stream=int(stream)))
    before = ask(cu.cuStreamQuery(stream))
    cell[0] = 41
    while not cell[1]:
        pass
    return [launched, before, cell[1], ask(cu.cuStreamSynchronize(stream)), ask(cu.cuStreamQuery(stream))]


@question("freeing pinned memory waits for the kernel that uses it")
def free_waits():
    import threading
    import time
    flag = int(must(cu.cuMemHostAlloc(4096, 0)))
    pinned_ = int(must(cu.cuMemHostAlloc(4096, 0)))
    cell = (ctypes.c_int * 2).from_address(flag)
    cell[0] = cell[1] = 0
    stream = must(cu.cuStreamCreate(1))
    must(kernels.launch("wait_for", flag, flag + 4, stream=int(stream)))
    def release():
        time.sleep(0.3)
        cell[0] = 1
    thread = threading.Thread(target=release)
    thread.start()
    freed = ask(cu.cuMemFreeHost(pinned_))
    waited = ask(cu.cuStreamQuery(stream)) == "SUCCESS"
    thread.join()
    return [freed, "waited" if waited else "did not wait"]


@question("pinned memory of one context is known and usable in a second one, portable or not")
def second_context():
    for flags in (0, 1, 2, 4):
        first = must(cu.cuCtxGetCurrent())
        host = int(must(cu.cuMemHostAlloc(4096, flags)))
        ctypes.memset(host, 7, 4096)
        second = new_context()
        target = int(must(cu.cuMemAlloc(16)))
        yield f"flags {flags}: flags", outcome(cu.cuMemHostGetFlags(host))
        yield f"flags {flags}: device address", where(must(cu.cuMemHostGetDevicePointer(host, 0)), host=host)
        yield f"flags {flags}: kernel", ask(kernels.run("copy", target, host, i32(16)))
        yield f"flags {flags}: content", read(target, 16).hex()
        yield f"flags {flags}: freed from the second", ask(cu.cuMemFreeHost(host))
        kernels.forget()
        must(cu.cuCtxDestroy(second))
        must(cu.cuCtxSetCurrent(first))


@question("destroying the context frees its pinned memory")
def context_frees():
    context = new_context()
    host = int(must(cu.cuMemHostAlloc(4096, 0)))
    portable = int(must(cu.cuMemHostAlloc(4096, 1)))
    must(cu.cuCtxDestroy(context))
    yield "flags", outcome(cu.cuMemHostGetFlags(host))
    yield "flags of portable", outcome(cu.cuMemHostGetFlags(portable))
    yield "free", ask(cu.cuMemFreeHost(host))
    yield "host reads it", lambda: ctypes.string_at(host, 1).hex()


@question("the host can no longer read pinned memory that was freed")
def read_after_free():
    host = int(must(cu.cuMemHostAlloc(4 << 20, 0)))
    must(cu.cuMemFreeHost(host))
    yield "read", lambda: ctypes.string_at(host, 1).hex()


@question("pinned memory can be allocated and freed without its context being current")
def no_context():
    host = int(must(cu.cuMemHostAlloc(4096, 0)))
    context = must(cu.cuCtxPopCurrent())
    yield "flags", outcome(cu.cuMemHostGetFlags(host))
    yield "device address", ask(cu.cuMemHostGetDevicePointer(host, 0))
    yield "allocate", ask(cu.cuMemHostAlloc(4096, 0))
    yield "free", ask(cu.cuMemFreeHost(host))
    must(cu.cuCtxPushCurrent(context))
    yield "known afterwards", outcome(cu.cuMemHostGetFlags(host))


@question("a null place for the answer is refused")
def null_outputs():
    host = int(must(cu.cuMemHostAlloc(4096, 0)))
    out = ctypes.byref(ctypes.c_uint64())
    yield "cuMemHostAlloc", lambda: raw("cuMemHostAlloc", None, 4096, 0)
    yield "cuMemAllocHost_v2", lambda: raw("cuMemAllocHost_v2", None, 4096)
    yield "cuMemHostGetDevicePointer_v2", lambda: raw("cuMemHostGetDevicePointer_v2", None, host, 0)
    yield "cuMemHostGetFlags", lambda: raw("cuMemHostGetFlags", None, host)
    yield "cuMemHostGetFlags of null", lambda: raw("cuMemHostGetFlags", out, 0)
    yield "cuMemHostGetDevicePointer_v2 of null", lambda: raw("cuMemHostGetDevicePointer_v2", out, 0, 0)


@question("directed copies move data between pinned memory and itself")
def copies_within():
    host = int(must(cu.cuMemHostAlloc(4096, 0)))
    data = pattern(64)
    ctypes.memmove(host, data, 64)
    yield "DtoD", ask(cu.cuMemcpyDtoD(host + 100, host, 64))
    yield "content", ctypes.string_at(host + 100, 64) == data
    yield "memset", ask(cu.cuMemsetD8(host, 9, 32))
    must(cu.cuCtxSynchronize())
    yield "content set", ctypes.string_at(host, 34).hex()
    pageable = pages()
    yield "HtoD from pageable", ask(cu.cuMemcpyHtoD(host, pageable, 16))
    yield "DtoH to pageable", ask(cu.cuMemcpyDtoH(pageable, host + 100, 16))
    yield "pageable content", ctypes.string_at(pageable, 16) == data[:16]


@question("whether portable is told back depends on the chunk that small pinned memory is cut from")
def flags_in_fresh_contexts():
    for size in (100, 4096, 1 << 20, 2 << 20, 4 << 20):
        for flags in range(8):
            context = new_context()
            host = int(must(cu.cuMemHostAlloc(size, flags)))
            yield f"{size} bytes, flags {flags}, first of its context", outcome(cu.cuMemHostGetFlags(host))
            second = int(must(cu.cuMemHostAlloc(size, 0)))
            yield f"{size} bytes, flags {flags}, then flags 0", outcome(cu.cuMemHostGetFlags(second))
            must(cu.cuCtxDestroy(context))


@question("in the primary context flags read back as they were given, with devicemap", needs=DRIVER)
def flags_in_the_primary_context():
    primary = must(cu.cuDevicePrimaryCtxRetain(0))
    must(cu.cuCtxSetCurrent(primary))
    for size in (4096, 4 << 20):
        for flags in range(8):
            yield f"{size} bytes, flags {flags}", outcome(cu.cuMemHostGetFlags(must(cu.cuMemHostAlloc(size, flags))))
    must(cu.cuCtxSetCurrent(0))
    must(cu.cuDevicePrimaryCtxRelease(0))


@question("the first pinned memory of a context is aligned to pages, the next small ones follow in steps of 512 bytes",
          varies={f"{size} bytes: distances": "each has a piece of its own" for size in (1 << 20, (1 << 20) + 1, 2 << 20)})
def following():
    for size in (1, 512, 513, 4096, 65536, 1 << 20, (1 << 20) + 1, 2 << 20):
        context = new_context()
        a, b, c = (int(must(cu.cuMemHostAlloc(size, 0))) for _ in range(3))
        yield f"{size} bytes: aligned to 4096", [x % 4096 == 0 for x in (a, b, c)]
        yield f"{size} bytes: distances", [abs(b - a) if abs(b - a) < 8 << 20 else "far", abs(c - b) if abs(c - b) < 8 << 20 else "far"]
        must(cu.cuCtxDestroy(context))


@question("freed small pinned memory: known no more; the host may still reach the chunk it was cut from",
          stricter="the simulated driver takes the memory away at once")
def freed_small():
    a, b = (int(must(cu.cuMemHostAlloc(100, 0))) for _ in range(2))
    must(cu.cuMemFreeHost(a))
    yield "host reads", lambda: len(ctypes.string_at(a, 4))
    yield "register", lambda: ask(cu.cuMemHostRegister(a & ~4095, 4096, 0))
