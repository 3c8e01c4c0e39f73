"""Managed memory: one address for host and device. Small blocks only."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, outcome, raw, read, where
from ...helpers.kernels import i32
from ...helpers.memory_kinds import KINDS, location, make

ADVICE = cu.CUmem_advise
RANGE = cu.CUmem_range_attribute


@question("managed memory is attached to the device's streams or to the host, and has a size",
          varies={f"{size}: aligned to 512, 4096, 65536, 2 MiB": "where in a larger piece the driver puts it" for size in (1, 100, 512, 4096, 65536, 1 << 20)})
def allocate():
    for flags in (0, 1, 2, 3, 4, 5, 8, 1 << 31):
        yield f"flags {flags}", ask(cu.cuMemAllocManaged(4096, flags))
    for size in (0, 1, 1 << 46, 1 << 63):
        yield f"size {size}", lambda: ask(cu.cuMemAllocManaged(size, 1))
    for size in (1, 100, 512, 4096, 65536, 1 << 20, 2 << 20):
        a = int(must(cu.cuMemAllocManaged(size, 1)))
        yield f"{size}: aligned to 512, 4096, 65536, 2 MiB", [a % n == 0 for n in (512, 4096, 65536, 2 << 20)]
        start, length = must(cu.cuMemGetAddressRange(a))
        yield f"{size}: range", [where(start, a=a), int(length)]


@question("host and device read what the other wrote, at the same address")
def shared_address():
    a = make("managed").address
    ctypes.memset(a, 7, 64)
    yield "kernel writes", ask(kernels.run("fill", a + 4, i32(1), i32(4)))
    yield "host reads", ctypes.string_at(a, 12).hex()
    yield "copied to the host", read(a, 12).hex()
    yield "memset", ask(cu.cuMemsetD8(a, 9, 2))
    must(cu.cuCtxSynchronize())
    yield "host reads again", ctypes.string_at(a, 4).hex()
    yield "fresh memory is zero", set(ctypes.string_at(make("managed").address, 65536)) == {0}


@question("memory attached to the host: a kernel of another stream")
def attached_to_host():
    a = make("managed, attached to the host").address
    ctypes.memset(a, 7, 64)
    yield "kernel", lambda: ask(kernels.run("fill", a, i32(1), i32(4)))
    yield "content", lambda: ctypes.string_at(a, 4).hex()


@question("freeing managed memory is cuMemFree's")
def free():
    a = make("managed").address
    yield "interior", ask(cu.cuMemFree(a + 512))
    yield "cuMemFreeHost", ask(cu.cuMemFreeHost(a))
    yield "cuMemFreeAsync", ask(cu.cuMemFreeAsync(a, 0))
    yield "cuMemFree", ask(cu.cuMemFree(a))
    yield "again", ask(cu.cuMemFree(a))
    b = make("managed").address
    must(cu.cuMemFree(b))
    yield "host reads after free", lambda: len(ctypes.string_at(b, 4))


@question("prefetching takes managed memory and a place that exists")
def prefetch():
    a = make("managed").address
    for place, ordinal in (("device", 0), ("device", 1), ("device", -1), ("host", 0), ("host numa", 0), ("host numa", 9)):
        yield f"{place} {ordinal}", ask(cu.cuMemPrefetchAsync(a, 4096, location(place, ordinal), 0, 0))
    for kind in KINDS:
        yield f"{kind}", lambda: ask(cu.cuMemPrefetchAsync(make(kind).address, 4096, location(), 0, 0))
    yield "flags 1", ask(cu.cuMemPrefetchAsync(a, 4096, location(), 1, 0))
    yield "no bytes", ask(cu.cuMemPrefetchAsync(a, 0, location(), 0, 0))
    yield "too many bytes", ask(cu.cuMemPrefetchAsync(a, 1 << 30, location(), 0, 0))
    yield "one byte over", ask(cu.cuMemPrefetchAsync(a, 65537, location(), 0, 0))
    yield "unaligned", ask(cu.cuMemPrefetchAsync(a + 5, 100, location(), 0, 0))
    yield "synchronize", ask(cu.cuCtxSynchronize())


@question("advice is for managed memory")
def advise():
    a = make("managed").address
    for advice in ADVICE:
        for place, ordinal in (("device", 0), ("host", 0), ("host numa", 0), ("device", 5)):
            yield f"{advice.name[14:].lower()}, {place} {ordinal}", ask(cu.cuMemAdvise(a, 4096, advice, location(place, ordinal)))
    for kind in KINDS:
        yield f"read mostly, {kind}", lambda: ask(cu.cuMemAdvise(make(kind).address, 4096, ADVICE(1), location()))
    yield "no bytes", ask(cu.cuMemAdvise(a, 0, ADVICE(1), location()))
    yield "too many bytes", ask(cu.cuMemAdvise(a, 1 << 30, ADVICE(1), location()))


@question("a range remembers the advice it was given and where it was sent")
def range_attributes():
    a = make("managed").address
    def state(label):
        for attribute in RANGE:
            out = ctypes.c_int(-99)
            code = raw("cuMemRangeGetAttribute", ctypes.byref(out), 4, ctypes.c_int(int(attribute)), a, 4096)
            yield f"{label}: {attribute.name[23:].lower()}", out.value if code == "SUCCESS" else code
    yield from state("fresh")
    must(cu.cuMemAdvise(a, 65536, ADVICE.CU_MEM_ADVISE_SET_READ_MOSTLY, location()))
    must(cu.cuMemAdvise(a, 65536, ADVICE.CU_MEM_ADVISE_SET_PREFERRED_LOCATION, location()))
    yield from state("read mostly, preferred on the device")
    must(cu.cuMemPrefetchAsync(a, 65536, location(), 0, 0))
    must(cu.cuCtxSynchronize())
    yield from state("prefetched to the device")
    must(cu.cuMemPrefetchAsync(a, 65536, location("host"), 0, 0))
    must(cu.cuMemAdvise(a, 65536, ADVICE.CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, location()))
    must(cu.cuMemAdvise(a, 65536, ADVICE.CU_MEM_ADVISE_UNSET_READ_MOSTLY, location()))
    must(cu.cuCtxSynchronize())
    yield from state("prefetched to the host, advice taken back")
    for kind in KINDS:
        yield f"{kind}", lambda: outcome(cu.cuMemRangeGetAttribute(4, RANGE(1), make(kind).address, 4096))
    yield "data of 3 bytes", outcome(cu.cuMemRangeGetAttribute(3, RANGE(1), a, 4096))
    yield "no range", outcome(cu.cuMemRangeGetAttribute(4, RANGE(1), a, 0))


@question("a stream can have managed memory attached to it")
def attach():
    s = must(cu.cuStreamCreate(1))
    for kind in ("managed", "managed, attached to the host", "device", "pinned", "pageable", "mapped"):
        for flags in (0, 1, 2, 4, 8):
            yield f"{kind}: flags {flags}", lambda: ask(cu.cuStreamAttachMemAsync(s, make(kind).address, 0, flags))
    a = make("managed").address
    yield "part of it", ask(cu.cuStreamAttachMemAsync(s, a, 4096, 4))
    yield "all of it by size", ask(cu.cuStreamAttachMemAsync(s, a, 65536, 4))
    yield "NULL stream, single", ask(cu.cuStreamAttachMemAsync(0, a, 0, 4))
    yield "synchronize", ask(cu.cuStreamSynchronize(s))
