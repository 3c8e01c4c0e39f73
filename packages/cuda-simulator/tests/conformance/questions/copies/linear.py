"""Copies along a line: every function, between every two kinds of memory; copies that are too long, or of nothing."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.calls import ask, must, new_context, pattern, raw, read, write
from ...helpers.memory_kinds import KINDS, access, make, pages, properties

# Each copies `size` bytes from an address to an address; the stream is the NULL stream.
COPIES = {
    "cuMemcpy": lambda to, source, size: cu.cuMemcpy(to, source, size),
    "cuMemcpyAsync": lambda to, source, size: cu.cuMemcpyAsync(to, source, size, 0),
    "cuMemcpyDtoH": lambda to, source, size: cu.cuMemcpyDtoH(to, source, size),
    "cuMemcpyDtoHAsync": lambda to, source, size: cu.cuMemcpyDtoHAsync(to, source, size, 0),
    "cuMemcpyHtoD": lambda to, source, size: cu.cuMemcpyHtoD(to, source, size),
    "cuMemcpyHtoDAsync": lambda to, source, size: cu.cuMemcpyHtoDAsync(to, source, size, 0),
    "cuMemcpyDtoD": lambda to, source, size: cu.cuMemcpyDtoD(to, source, size),
    "cuMemcpyDtoDAsync": lambda to, source, size: cu.cuMemcpyDtoDAsync(to, source, size, 0),
}


def _copy_code(function, to, source, size=64):
    """The code of the copy, then of waiting for it if that says more."""
    code = ask(COPIES[function](to, source, size))
    waited = ask(cu.cuCtxSynchronize())
    return code if waited in ("SUCCESS", code) else f"{code}, then {waited}"


def _copy_kinds(function, source_kind, target_kind):
    freed_last = source_kind.startswith("freed")
    target = make(target_kind) if freed_last else None
    source = make(source_kind)
    target = target or make(target_kind)
    return _copy_code(function, target.address, source.address)


def _matrix(source_kinds, target_kinds, functions=COPIES):
    for function in functions:
        for source in source_kinds:
            for target in target_kinds:
                yield f"{function}: {source} -> {target}", lambda: _copy_kinds(function, source, target)


@question("device memory can be copied from into memory of which kinds, by which function")
def from_device():
    yield from _matrix(["device"], KINDS)


@question("device memory can be copied to from memory of which kinds, by which function")
def to_device():
    yield from _matrix(KINDS, ["device"])


@question("pageable memory can be copied from into memory of which kinds, by which function")
def from_pageable():
    yield from _matrix(["pageable"], [kind for kind in KINDS if kind != "device"])


@question("pageable memory can be copied to from memory of which kinds, by which function")
def to_pageable():
    yield from _matrix([kind for kind in KINDS if kind not in ("device", "pageable")], ["pageable"])


@question("pinned, registered, managed and mapped memory can be copied between one another")
def among_known():
    kinds = ["pinned", "registered", "managed", "mapped", "mapped, on the host", "stream-ordered", "module variable"]
    yield from _matrix(kinds, kinds, ["cuMemcpy", "cuMemcpyDtoD"])
    yield from _matrix(["pinned", "managed", "mapped"], ["pinned", "managed", "mapped"], ["cuMemcpyDtoH", "cuMemcpyHtoD"])


@question("a copy of no bytes succeeds whatever its addresses are")
def nothing_to_copy():
    for kind in KINDS:
        block, device = make(kind), make("device")
        for function, copy in COPIES.items():
            yield f"{function}: from {kind}", lambda: ask(copy(device.address, block.address, 0))
            yield f"{function}: to {kind}", lambda: ask(copy(block.address, device.address, 0))


@question("a copy that leaves an allocation on its device side by one byte is refused")
def past_the_end():
    for size in (100, 65536, 2 << 20, 3 << 20):
        for over in (1, 156, 412, 413, 4096, 1 << 20, 2 << 20, 32 << 20, 1 << 30):
            yield f"{size} bytes, {over} over: from", lambda: _over(size, over, "from")
            yield f"{size} bytes, {over} over: to", lambda: _over(size, over, "to")


def _over(size, over, way):
    a = int(must(cu.cuMemAlloc(size)))
    host = pages(size + over, touched=False)    # up to 1 GiB, of which a copy that is refused reads nothing
    return ask(cu.cuMemcpyDtoH(host, a, size + over) if way == "from" else cu.cuMemcpyHtoD(a, host, size + over))


@question("a copy that begins far from every allocation, or is longer than the device, is refused")
def far_off():
    a = int(must(cu.cuMemAlloc(4096)))
    host = pages()
    b = int(must(cu.cuMemAlloc(4096)))
    for label, address, size in (("64 GiB past", a + (64 << 30), 16), ("1 TiB past", a + (1 << 40), 16),
                                 ("1 GiB before", a - (1 << 30), 16), ("null", 0, 16), ("the number 1", 1, 1),
                                 ("the last address", (1 << 64) - 16, 16)):
        yield f"DtoH: {label}", lambda: ask(cu.cuMemcpyDtoH(host, address, size))
        yield f"HtoD: {label}", lambda: ask(cu.cuMemcpyHtoD(address, host, size))
        yield f"DtoD from: {label}", lambda: ask(cu.cuMemcpyDtoD(b, address, size))
        yield f"DtoD to: {label}", lambda: ask(cu.cuMemcpyDtoD(address, b, size))
    yield "DtoD of 1 TiB", lambda: ask(cu.cuMemcpyDtoD(a, b, 1 << 40))
    yield "DtoD of 2^64 - 1 bytes", lambda: ask(cu.cuMemcpyDtoD(a, b, (1 << 64) - 1))


@question("a copy past the end of any kind of memory by one byte is refused")
def past_the_end_by_kind():
    for kind in ("pinned", "registered", "registered, unaligned", "managed", "mapped", "mapped, on the host", "stream-ordered",
                 "module variable", "reserved only"):
        for over in (1, 4096, 4 << 20):
            yield f"{kind}: {over} over, DtoD from", lambda: _over_kind(kind, over, False)
            yield f"{kind}: {over} over, DtoD to", lambda: _over_kind(kind, over, True)
            yield f"{kind}: begins {over} before the end, HtoD", lambda: _over_end(kind, over)


def _over_kind(kind, over, to):
    device = int(must(cu.cuMemAlloc(16 << 20)))
    return _with(kind, lambda block: _copy_code("cuMemcpyDtoD", *((block.address, device) if to else (device, block.address)), block.size + over))


def _with(kind, use):
    """What use(block) says, of a block that is then given back: a neighbour left behind would be what comes after the next one's end."""
    block = make(kind)
    try:
        return use(block)
    finally:
        if block.release:
            block.release()


def _over_end(kind, over):
    host = pages(16 << 20)
    return _with(kind, lambda block: _copy_code("cuMemcpyHtoD", block.address + block.size - min(over, block.size), host, min(over, block.size) + 100))


@question("every copy function moves the bytes it was asked to move, and no others")
def content():
    for source_kind in ("pageable", "pinned", "registered", "device", "managed", "mapped", "mapped, on the host"):
        for target_kind in ("pageable", "pinned", "registered", "device", "managed", "mapped", "mapped, on the host"):
            yield f"{source_kind} -> {target_kind}", lambda: _content(source_kind, target_kind)


def _content(source_kind, target_kind):
    source, target = make(source_kind), make(target_kind)
    must(cu.cuMemcpy(source.address, _bytes(pattern(1000)), 1000))
    must(cu.cuMemcpy(target.address, _bytes(b"\xee" * 1000), 1000))
    must(cu.cuMemcpy(target.address + 13, source.address + 7, 501))
    back = ctypes.create_string_buffer(1000)
    must(cu.cuMemcpy(ctypes.addressof(back), target.address, 1000))
    expected = b"\xee" * 13 + pattern(1000)[7:508] + b"\xee" * 486
    return back.raw == expected


_kept = []


def _bytes(data):
    buffer = ctypes.create_string_buffer(data, len(data))
    _kept.append(buffer)
    return ctypes.addressof(buffer)


@question("overlapping device copies", varies="the order in which bytes are moved is not defined")
def overlapping():
    a = int(must(cu.cuMemAlloc(4096)))
    for label, to, source in (("forward", 10, 0), ("backward", 0, 10), ("the same", 5, 5)):
        write(a, pattern(200))
        yield f"{label}: code", ask(cu.cuMemcpyDtoD(a + to, a + source, 100))
        yield f"{label}: content", read(a, 120).hex()


@question("neighbouring mappings can be copied from and to in one copy; a gap cannot")
def neighbours():
    mib2 = 2 << 20
    base = int(must(cu.cuMemAddressReserve(3 * mib2, 0, 0, 0)))
    handles = [must(cu.cuMemCreate(mib2, properties(), 0)) for _ in range(3)]
    host = pages(8192)
    must(cu.cuMemMap(base, mib2, 0, handles[0], 0))
    must(cu.cuMemSetAccess(base, mib2, [access("read and write")], 1))
    yield "into the gap", ask(cu.cuMemcpyHtoD(base + mib2 - 4096, host, 8192))
    must(cu.cuMemMap(base + mib2, mib2, 0, handles[1], 0))
    yield "into a mapping without access", ask(cu.cuMemcpyHtoD(base + mib2 - 4096, host, 8192))
    must(cu.cuMemSetAccess(base + mib2, mib2, [access("read and write")], 1))
    ctypes.memmove(host, pattern(8192), 8192)
    yield "over the border", ask(cu.cuMemcpyHtoD(base + mib2 - 4096, host, 8192))
    yield "content", read(base + mib2 - 4096, 8192) == pattern(8192)
    yield "memset over the border", ask(cu.cuMemsetD8(base + mib2 - 8, 7, 16))
    yield "from the border on, into reserved space", ask(cu.cuMemcpyHtoD(base + 2 * mib2 - 4096, host, 8192))
    yield "memset into reserved space", ask(cu.cuMemsetD8(base + 2 * mib2 - 8, 7, 16))


@question("a null host address is refused")
def null_host():
    a = int(must(cu.cuMemAlloc(64)))
    for function in ("cuMemcpyHtoD_v2",):
        yield function, lambda: raw(function, a, 0, 16)
    yield "cuMemcpyDtoH_v2", lambda: raw("cuMemcpyDtoH_v2", 0, a, 16)
    yield "cuMemcpy from null", lambda: raw("cuMemcpy", a, 0, 16)
    yield "cuMemcpy to null", lambda: raw("cuMemcpy", 0, a, 16)
    yield "cuMemcpyAsync from null", lambda: raw("cuMemcpyAsync", a, 0, 16, 0)


@question("peer copies on one device need its contexts")
def peer():
    first = must(cu.cuCtxGetCurrent())
    a = int(must(cu.cuMemAlloc(64)))
    write(a, pattern(64))
    second = new_context()
    b = int(must(cu.cuMemAlloc(64)))
    yield "second from first", ask(cu.cuMemcpyPeer(b, second, a, first, 64))
    yield "content", read(b, 64) == pattern(64)
    yield "contexts exchanged", ask(cu.cuMemcpyPeer(b, first, a, second, 64))
    yield "within one", ask(cu.cuMemcpyPeer(b, second, b, second, 0))
    yield "no contexts", lambda: ask(cu.cuMemcpyPeer(b, 0, a, 0, 64))
    yield "host memory", lambda: ask(cu.cuMemcpyPeer(pages(), second, a, first, 64))
    yield "pinned memory", lambda: ask(cu.cuMemcpyPeer(int(must(cu.cuMemHostAlloc(64, 0))), second, a, first, 64))
    yield "async", ask(cu.cuMemcpyPeerAsync(b, second, a, first, 64, 0))
    yield "waited", ask(cu.cuCtxSynchronize())


@question("a copy on a stream is done once the stream is")
def ordered():
    stream = must(cu.cuStreamCreate(1))
    host = int(must(cu.cuMemHostAlloc(1 << 20, 0)))
    a, b = int(must(cu.cuMemAlloc(1 << 20))), int(must(cu.cuMemAlloc(1 << 20)))
    ctypes.memmove(host, pattern(1 << 20), 1 << 20)
    yield "HtoD", ask(cu.cuMemcpyHtoDAsync(a, host, 1 << 20, stream))
    yield "DtoD", ask(cu.cuMemcpyDtoDAsync(b, a, 1 << 20, stream))
    yield "memset", ask(cu.cuMemsetD8Async(b, 1, 100, stream))
    yield "DtoH", ask(cu.cuMemcpyDtoHAsync(host, b, 1 << 20, stream))
    yield "wait", ask(cu.cuStreamSynchronize(stream))
    yield "content", ctypes.string_at(host, 1 << 20) == b"\1" * 100 + pattern(1 << 20)[100:]
