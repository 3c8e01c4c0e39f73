"""Who may read and write a mapping: set, told, felt by copies, kernels and the host."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, outcome, pattern, read, where, write
from ...helpers.kernels import i32
from ...helpers.memory_kinds import KINDS, LARGE, NONE, RW, R, access, create, location, make, mapped, pages, reserve, set_access


@question("access is set on whole mappings")
def access_ranges():
    base = reserve(6 * LARGE)
    for at, size in ((0, LARGE), (LARGE, 2 * LARGE)):
        must(cu.cuMemMap(base + at, size, 0, create(size), 0))
    cases = {"part of a mapping": (base, 4096), "half a mapping": (base + LARGE, LARGE), "the second half": (base + 2 * LARGE, LARGE),
             "beyond the mapping": (base + LARGE, 3 * LARGE), "reserved only": (base + 4 * LARGE, LARGE), "size 0": (base, 0),
             "unaligned": (base + 4096, LARGE), "null": (0, LARGE), "one mapping": (base, LARGE), "two mappings": (base, 3 * LARGE),
             "one and a half": (base, 2 * LARGE), "mappings and a gap": (base, 4 * LARGE)}
    for label, (address, size) in cases.items():
        yield label, ask(set_access(address, size))
    yield "device memory", ask(set_access(int(must(cu.cuMemAlloc(LARGE)))))


@question("access descriptors need a place that exists and known rights")
def access_descriptors():
    for place, ordinal in (("device", 0), ("device", 1), ("device", -1), ("host", 0), ("host numa", 0), ("host numa", 1)):
        for rights in (NONE, R, RW):
            for memory in ("device", "host numa"):
                block = mapped([], place=memory)
                label = f"{memory} memory, {rights} for {place} {ordinal}"
                yield label, ask(cu.cuMemSetAccess(block.address, LARGE, [access(rights, place, ordinal)], 1))
    block = mapped([])
    yield "no descriptors", ask(cu.cuMemSetAccess(block.address, LARGE, [], 0))
    yield "two, the same place", ask(cu.cuMemSetAccess(block.address, LARGE, [access(R), access(RW)], 2))
    yield "what the two gave", outcome(cu.cuMemGetAccess(location(), block.address))
    yield "two, the second wrong", ask(cu.cuMemSetAccess(block.address, LARGE, [access(R), access(RW, ordinal=7)], 2))
    yield "what that left", outcome(cu.cuMemGetAccess(location(), block.address))


@question("cuMemGetAccess tells 0, 1 or 3 for a mapping and a place")
def get_access():
    block = mapped([])
    for place, ordinal in (("device", 0), ("device", 1), ("host numa", 0), ("host", 0)):
        yield f"before: {place} {ordinal}", outcome(cu.cuMemGetAccess(location(place, ordinal), block.address))
    for rights in (R, RW, NONE):
        must(set_access(block.address, rights=rights))
        yield rights, outcome(cu.cuMemGetAccess(location(), block.address))
        yield f"{rights}: interior", outcome(cu.cuMemGetAccess(location(), block.address + 5000))
    for kind in KINDS:
        yield f"of {kind}", lambda: outcome(cu.cuMemGetAccess(location(), make(kind).address))
    host = make("mapped, on the host")
    for place in ("device", "host numa", "host"):
        yield f"on the host: {place}", outcome(cu.cuMemGetAccess(location(place), host.address))


@question("without access, copies are refused and kernels fault; with read access only writes do")
def access_effects():
    for rights in ((), (NONE,), (R,), (RW,), (RW, R), (RW, NONE), (RW, NONE, RW)):
        label = ", then ".join(rights) or "never set"
        yield f"{label}: HtoD", lambda: ask(cu.cuMemcpyHtoD(mapped(rights).address, pages(), 64))
        yield f"{label}: DtoH", lambda: ask(cu.cuMemcpyDtoH(pages(), mapped(rights).address, 64))
        yield f"{label}: memset", lambda: ask(cu.cuMemsetD8(mapped(rights).address, 1, 64))
        yield f"{label}: synchronize after memset", lambda: _memset_code(rights)
        yield f"{label}: kernel reads", lambda: ask(kernels.run("peek", mapped(rights).address, must(cu.cuMemAlloc(4))))
        yield f"{label}: kernel writes", lambda: ask(kernels.run("poke", mapped(rights).address, i32(1)))


def _memset_code(rights):
    cu.cuMemsetD8(mapped(rights).address, 1, 64)
    return ask(cu.cuCtxSynchronize())


@question("taking access away keeps the data")
def access_keeps_data():
    block = mapped()
    write(block.address, pattern(64))
    must(cu.cuCtxSynchronize())    # the copy may still be under way; without access it would fault
    must(set_access(block.address, rights=NONE))
    yield "while away", ask(cu.cuMemcpyDtoH(bytearray(64), block.address, 64))
    must(set_access(block.address))
    yield "after", read(block.address, 64) == pattern(64)


@question("memory on the host is read and written by host and device at one address, each with its own right")
def on_the_host():
    block = mapped([], place="host numa")
    yield "device access", ask(set_access(block.address))
    yield "device writes", ask(kernels.run("fill", block.address, i32(5), i32(4)))
    yield "host access", ask(set_access(block.address, place="host numa"))
    yield "host reads", lambda: ctypes.string_at(block.address, 4).hex()
    ctypes.memset(block.address, 9, 2)
    yield "device reads what the host wrote", read(block.address, 4).hex()
    yield "access told", [outcome(cu.cuMemGetAccess(location(place), block.address)) for place in ("device", "host numa")]
    yield "host access taken away", ask(set_access(block.address, rights=NONE, place="host numa"))
    yield "host reads then", lambda: len(ctypes.string_at(block.address, 4))
    yield "host access read-only", lambda: ask(set_access(block.address, rights=R, place="host numa"))
    yield "host writes then", lambda: ctypes.memset(block.address, 1, 1) and "written"


@question("memory on the host without a right for the host is a segmentation fault for the host")
def on_the_host_without_right():
    for label, rights in (("none", []), ("device only", [RW]), ("host only", [f"{RW} for host numa"]),
                          ("host reads only", [f"{R} for host numa"])):
        yield f"{label}: host reads", lambda: len(ctypes.string_at(mapped(rights, "host numa").address, 4))
        yield f"{label}: host writes", lambda: ctypes.memset(mapped(rights, "host numa").address, 1, 4) and "written"
        yield f"{label}: kernel", lambda: ask(kernels.run("poke", mapped(rights, "host numa").address, i32(1)))
        yield f"{label}: DtoH", lambda: ask(cu.cuMemcpyDtoH(bytearray(4), mapped(rights, "host numa").address, 4))
        yield f"{label}: access told", lambda: [outcome(cu.cuMemGetAccess(location(p), mapped(rights, "host numa").address))
                                                for p in ("device", "host numa", "host")]


@question("memory on the host is answered forward while the device has access, and back while the host has")
def on_the_host_both_ways():
    rights = {"neither": (NONE, NONE), "device alone": (RW, NONE), "both": (RW, RW), "host alone": (NONE, RW)}
    for who, (for_device, for_host) in rights.items():
        rights_by_place = [f"{right} for {place}" for place, right in (("device", for_device), ("host numa", for_host)) if right != NONE]
        yield from _both_ways(f"{who}, a fresh mapping", mapped(rights_by_place, "host numa").address)
    block = mapped([], "host numa")
    for step, who in enumerate((*rights, "neither"), start=1):
        for place, right in zip(("device", "host numa"), rights[who]):
            must(set_access(block.address, rights=right, place=place))
        yield from _both_ways(f"{who}, step {step} of one mapping", block.address)


def _both_ways(label, start):
    host_pointer = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER
    for byte, address in (("first byte", start), ("byte 100", start + 100)):
        for way, answer in (("forward", cu.cuMemHostGetDevicePointer(address, 0)),
                            ("back", cu.cuPointerGetAttribute(host_pointer, address))):
            yield f"{label}: {way}, {byte}", ask(answer) if int(answer[0]) else where(answer[1], start=start)
