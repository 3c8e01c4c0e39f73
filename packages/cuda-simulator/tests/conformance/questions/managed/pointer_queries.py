"""Addresses of managed memory: what every query tells of them, and every kind of copy and memset with them."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, name, new_context, outcome, pattern, raw, read, where, write
from ...helpers.kernels import i32
from ...helpers.managed_memory import MIB, PAGE, PLAIN, advise, fresh, host_byte, host_write, prefetch
from ...helpers.memory_kinds import MemoryOfKind, location, make, pages
from ...helpers.pointer_attributes import ATTRIBUTES, attribute_text, get_attribute

SIZES = (100, 65536, 4 * MIB)
PIECE = "the driver's choice of the piece"
PLACES_IN = {"start": lambda size: 0, "inside": lambda size: size // 2 + 1, "last byte": lambda size: size - 1, "one past": lambda size: size}


@question("each attribute of managed memory from its start to one past its end", varies={
    f"{size}, flags {flags}: {attribute} of {label}": PIECE for size in SIZES for flags in (1, 2) for label in PLACES_IN
    for attribute in ATTRIBUTES if attribute in ("MAPPING_BASE_ADDR", "MAPPING_SIZE") or label == "one past"})
def attributes():
    for size in SIZES:
        for flags in (1, 2):
            block = MemoryOfKind("managed", fresh(size, flags), size)
            for label, offset in PLACES_IN.items():
                for attribute in ATTRIBUTES:
                    yield f"{size}, flags {flags}: {attribute} of {label}", lambda: attribute_text(attribute, block, block.address + offset(size))


@question("what the driver tells of an address does not depend on where its pages are", varies={
    f"{when}: {attribute}": PIECE for attribute in ("MAPPING_BASE_ADDR", "MAPPING_SIZE") for when in (
        "on the device", "on the host", "on the host numa", "on the host numa current", "preferred on the host", "written by a kernel")})
def wherever_it_is():
    block = MemoryOfKind("managed", fresh(), 4 * MIB)
    moves = {f"on the {place}": lambda place=place: prefetch(block.address, 4 * MIB, place) for place in PLAIN}
    moves["preferred on the host"] = lambda: advise(block.address, 4 * MIB, "SET_PREFERRED_LOCATION", "host")
    moves["written by a kernel"] = lambda: ask(kernels.run("fill", block.address, i32(1), i32(64)))
    for when, move in moves.items():
        yield when, [move(), ask(cu.cuCtxSynchronize())]
        for attribute in ATTRIBUTES:
            yield f"{when}: {attribute}", lambda: attribute_text(attribute, block, block.address + 24)


@question("the forward call and the flags of pinned memory are not for managed memory")
def forward():
    for flags in (1, 2):
        a = fresh(4 * MIB, flags)
        for label, offset in (("start", 0), ("inside", 100), ("last byte", 4 * MIB - 1)):
            yield f"flags {flags}: device pointer, {label}", ask(cu.cuMemHostGetDevicePointer(a + offset, 0))
            yield f"flags {flags}: host flags, {label}", outcome(cu.cuMemHostGetFlags(a + offset))
            code, back, _ = get_attribute(ATTRIBUTES["HOST_POINTER"], a + offset)
            yield f"flags {flags}: host pointer, {label}", name(code) if code else where(back, asked=a + offset)


@question("the range of an address is its allocation's", varies={f"{size}: one past": PIECE for size in SIZES})
def ranges():
    for size in SIZES:
        a = fresh(size)
        for label, offset in PLACES_IN.items():
            result = cu.cuMemGetAddressRange(a + offset(size))
            yield f"{size}: {label}", [where(result[1], a=a), int(result[2])] if not int(result[0]) else ask(result)


@question("managed memory is not registered, nor does it become pinned by it")
def registered():
    a = fresh()
    for label, offset, size in (("all", 0, 4 * MIB), ("a page", PAGE, PAGE), ("100 bytes", 100, 100)):
        for flags in (0, 1, 2, 4, 8):
            yield f"{label}, flags {flags}", ask(cu.cuMemHostRegister(a + offset, size, flags))
        yield f"{label}: unregister", ask(cu.cuMemHostUnregister(a + offset))
    yield "its type", get_attribute(ATTRIBUTES["MEMORY_TYPE"], a)[1] & 0xFFFFFFFF
    yield "free", ask(cu.cuMemFree(a))


@question("managed memory has no handle that another process could open")
def handles():
    for size in (65536, 2 * MIB):
        a = fresh(size)
        for label, offset in (("start", 0), ("inside", PAGE)):
            yield f"{size}: IPC, {label}", lambda: ask(cu.cuIpcGetMemHandle(a + offset))
            yield f"{size}: allocation handle, {label}", lambda: ask(cu.cuMemRetainAllocationHandle(a + offset))
            yield f"{size}: access, {label}", lambda: outcome(cu.cuMemGetAccess(location(), a + offset))
        for kind in (1, 2):
            yield f"{size}: handle of the range, type {kind}", lambda: raw(
                "cuMemGetHandleForAddressRange", (ctypes.c_int * 16)(), a, size, kind, 0)
        yield f"{size}: unmap", lambda: ask(cu.cuMemUnmap(a, size))
        yield f"{size}: address free", lambda: ask(cu.cuMemAddressFree(a, size))
        yield f"{size}: still there", lambda: [host_write(a, 7), host_byte(a)]


@question("SYNC_MEMOPS of managed memory is set at any of its addresses, for all of it")
def sync_memops():
    for label, offset in (("start", 0), ("inside", 100), ("last byte", 4 * MIB - 1)):
        a = fresh()
        code = ask(cu.cuPointerSetAttribute(True, cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, a + offset))
        yield label, [code, *(get_attribute(ATTRIBUTES["SYNC_MEMOPS"], a + o)[1] & 0xFF for o in (0, offset))]


COPIES = {"cuMemcpy": lambda to, source, n: cu.cuMemcpy(to, source, n), "HtoD": lambda to, source, n: cu.cuMemcpyHtoD(to, source, n),
          "DtoH": lambda to, source, n: cu.cuMemcpyDtoH(to, source, n), "DtoD": lambda to, source, n: cu.cuMemcpyDtoD(to, source, n)}


@question("managed memory is either side of every copy, wherever its pages are")
def copies():
    def prepared(kind, place):
        a, block = fresh(), make(kind)
        host_write(a, 7)
        (write(block.address, bytes([9] * 64)) if kind in ("device", "managed") else host_write(block.address, 9))
        prefetch(a, 4 * MIB, place)
        must(cu.cuCtxSynchronize())
        return a, block.address

    def out(call, kind, place):
        a, b = prepared(kind, place)
        code = ask(call(b + 8, a, 4))
        must(cu.cuCtxSynchronize())
        return [code, (read(b, 12) if kind in ("device", "managed") else ctypes.string_at(b, 12)).hex()]

    def into(call, kind, place):
        a, b = prepared(kind, place)
        return [ask(call(a + 16, b, 4)), ask(cu.cuCtxSynchronize()), ctypes.string_at(a, 20).hex()]
    for verb, call in COPIES.items():
        for kind in ("device", "pinned", "managed", "pageable"):
            for place in ("device", "host"):
                yield f"{verb}: to {kind}, from the {place}", lambda: out(call, kind, place)
                yield f"{verb}: from {kind}, to the {place}", lambda: into(call, kind, place)


@question("in two dimensions managed memory may be called host, device or unified")
def two_dimensions():
    for source in cu.CUmemorytype:
        for to in cu.CUmemorytype:
            if "ARRAY" in source.name + to.name:
                continue
            a, b = fresh(), fresh()
            ctypes.memmove(a, pattern(4096), 4096)
            shape = cu.CUDA_MEMCPY2D()
            shape.srcMemoryType, shape.dstMemoryType = source, to
            shape.srcDevice, shape.dstDevice, shape.srcHost, shape.dstHost = cu.CUdeviceptr(a), cu.CUdeviceptr(b), a, b
            shape.srcPitch, shape.dstPitch, shape.WidthInBytes, shape.Height = 100, 50, 30, 5
            yield f"{source.name[14:]} to {to.name[14:]}", [
                ask(cu.cuMemcpy2D(shape)), ask(cu.cuCtxSynchronize()),
                b"".join(ctypes.string_at(b + 50 * row, 30) for row in range(5)) ==
                b"".join(pattern(4096)[100 * row:100 * row + 30] for row in range(5))]


@question("copies between contexts and to the same device as a peer take managed memory")
def peers():
    first, a = must(cu.cuCtxGetCurrent()), fresh()
    host_write(a, 7)
    second = new_context()
    b = fresh()
    yield "to the other context", [ask(cu.cuMemcpyPeer(b, second, a, first, 16)), ask(cu.cuCtxSynchronize()), host_byte(b + 15), host_byte(b + 16)]
    yield "contexts exchanged", [ask(cu.cuMemcpyPeer(b + 32, first, a, second, 16)), ask(cu.cuCtxSynchronize()), host_byte(b + 47)]
    yield "plainly", [ask(cu.cuMemcpyDtoD(b + 64, a, 16)), ask(cu.cuCtxSynchronize()), host_byte(b + 79)]
    must(cu.cuCtxDestroy(first))
    yield "its context is destroyed", ask(cu.cuMemcpyDtoD(b, a, 16))


@question("memsets write managed memory wherever its pages are, and are done when the host has waited")
def memsets():
    s = must(cu.cuStreamCreate(1))
    for place in ("device", "host"):
        a = fresh()
        prefetch(a, 4 * MIB, place)
        calls = {"D8": lambda: cu.cuMemsetD8(a, 1, 2), "D16": lambda: cu.cuMemsetD16(a + 2, 0x0203, 2),
                 "D32": lambda: cu.cuMemsetD32(a + 8, 0x04050607, 2),
                 "D8Async": lambda: cu.cuMemsetD8Async(a + 16, 8, 3, s), "2D": lambda: cu.cuMemsetD2D8(a + 24, 16, 9, 3, 2)}
        for label, call in calls.items():
            yield f"{place}: {label}", [ask(call()), ask(cu.cuCtxSynchronize()), ctypes.string_at(a, 48).hex()]
        yield f"{place}: all", [ask(cu.cuMemsetD8(a, 5, 4 * MIB)), ask(cu.cuCtxSynchronize()), set(ctypes.string_at(a, 4 * MIB)) == {5}]


@question("a copy or memset past the end of managed memory is refused")
def past_the_end():
    for size in (100, 65536, 4 * MIB):
        a, d = fresh(size), make("device, 3 MiB").address
        last_word = a + size - 8
        for label, call in (("memset", lambda: cu.cuMemsetD8(last_word, 1, 9)), ("from it, DtoD", lambda: cu.cuMemcpyDtoD(d, last_word, 9)),
                            ("to it, DtoD", lambda: cu.cuMemcpyDtoD(last_word, d, 9)), ("from it, DtoH", lambda: cu.cuMemcpyDtoH(pages(), last_word, 9)),
                            ("to it, HtoD", lambda: cu.cuMemcpyHtoD(last_word, pages(), 9))):
            yield f"{size}: {label}", lambda: [ask(call()), ask(cu.cuCtxSynchronize())]


@question("each managed allocation has an identity of its own that is not used again")
def identities():
    def identity(address, attribute="BUFFER_ID"):
        code, value, _ = get_attribute(ATTRIBUTES[attribute], address)
        return name(code) if code else value
    a, b = fresh(), fresh()
    first, second = identity(a), identity(b)
    yield "the second's, from the first's", second - first
    yield "inside it is the same", identity(a + 100) == first
    prefetch(a, 4 * MIB)
    must(cu.cuCtxSynchronize())
    yield "after a prefetch it is the same", identity(a) == first
    must(cu.cuMemFree(b))
    yield "freed and allocated again", identity(fresh()) - second
    yield "memory block", identity(a, "MEMORY_BLOCK_ID") == identity(a + 3 * MIB, "MEMORY_BLOCK_ID")
