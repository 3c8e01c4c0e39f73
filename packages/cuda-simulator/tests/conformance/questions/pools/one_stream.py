"""Memory in the order of one stream that is held: what may be taken again, and from when on an address is dead to the host."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.calls import ask, must, outcome, where
from ...helpers.held import Held, at_once
from ...helpers.memory_kinds import pages
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ...helpers.pools import free, new_pool, pool_block, take, used_and_reserved

KIB, MIB = 1 << 10, 1 << 20


@question("memory that was freed on a held stream is taken again by that stream at once, with what is in it", alone=True)
def same_stream():
    for size in (64, 4 * KIB, 64 * KIB, MIB, 2 * MIB, 3 * MIB, 16 * MIB, 40 * MIB):
        with Held() as a:
            pool, out = new_pool(), int(must(cu.cuMemHostAlloc(64, 0)))
            first = pool_block(pool, size, a.stream)
            must(cu.cuMemsetD8Async(first, 7, 64, a.stream))
            yield f"{size}: free", at_once(lambda: cu.cuMemFreeAsync(first, a.stream))
            yield f"{size}: take", at_once(lambda: take(pool, size, a.stream))
            second = pool_block(pool, size, a.stream)
            yield f"{size}: a second one", second != first
            free(second, a.stream)
            a.go()
            must(cu.cuCtxSynchronize())
    with Held() as a:
        pool, out = new_pool(), int(must(cu.cuMemHostAlloc(64, 0)))
        first = pool_block(pool, 4096, a.stream)
        must(cu.cuMemsetD8Async(first, 7, 64, a.stream))
        free(first, a.stream)
        second = pool_block(pool, 4096, a.stream)
        yield "the address", where(second, before=first)
        must(cu.cuMemcpyDtoHAsync(out, second, 64, a.stream))
        a.go()
        must(cu.cuCtxSynchronize())
        yield "its content", ctypes.string_at(out, 4).hex()


@question("which of the freed pieces a stream that is held takes again", alone=True)
def pieces():
    for label, sizes, freed, sizes_after in (
            ("two of a size, the first freed first", [4096] * 3, [0, 1], [4096, 4096, 4096]),
            ("two of a size, the second freed first", [4096] * 3, [1, 0], [4096, 4096, 4096]),
            ("a smaller one", [64 * KIB] * 2, [0], [4096, 4096]),
            ("a little smaller one", [64 * KIB] * 2, [0], [63 * KIB]),
            ("a larger one", [4096] * 3, [0], [8192]),
            ("two neighbours freed, one of both", [4096] * 3, [0, 1], [8192]),
            ("three neighbours freed, the middle last", [4096] * 4, [0, 2, 1], [12288]),
            ("two of 1 MiB as one of 2", [MIB] * 3, [0, 1], [2 * MIB]),
            ("two of 2 MiB as one of 4", [2 * MIB] * 3, [0, 1], [4 * MIB]),
            ("of 40 MiB one of 20 and one of 20", [40 * MIB], [0], [20 * MIB, 20 * MIB]),
            ("of 64 MiB one of 33", [64 * MIB], [0], [33 * MIB]),
            ("two of 16 MiB as one of 32", [16 * MIB] * 2, [0, 1], [32 * MIB]),
            ("small, then 1 byte more than a step", [512] * 4, [1], [513]),
            ("best fit: 8 KiB or 64 KiB freed for 6 KiB", [64 * KIB, 512, 8192, 512], [0, 2], [6 * KIB]),
            ("best fit: 64 KiB freed last", [64 * KIB, 512, 8192, 512], [2, 0], [6 * KIB]),
            ("large: 8 MiB or 24 MiB freed for 6 MiB", [24 * MIB, 512, 8 * MIB, 512], [0, 2], [6 * MIB])):
        with Held() as a:
            pool = new_pool()
            had = [pool_block(pool, size, a.stream) for size in sizes]
            yield f"{label}: laid out", [address - had[0] for address in had]
            for index in freed:
                free(had[index], a.stream)
            blocks = [pool_block(pool, size, a.stream) for size in sizes_after]
            yield label, [address - had[0] for address in blocks]
            yield f"{label}: used, reserved", used_and_reserved(pool)


@question("to the host an address is dead as soon as cuMemFreeAsync was called", alone=True)
def dead_at_once():
    for label in ("DtoH", "HtoD", "memset", "range", "type", "DEVICE_POINTER", "HOST_POINTER", "START", "pool", "forward", "free again",
                  "cuMemFree", "async copy in its stream", "async memset in its stream", "DtoD", "host flags"):
        with Held() as a:
            pool = new_pool()
            keep, p, q = pool_block(pool, 4096, a.stream), pool_block(pool, 4096, a.stream), pool_block(pool, 4096, a.stream)
            out = int(must(cu.cuMemHostAlloc(4096, 0)))
            free(p, a.stream)
            yield label, {
                "DtoH": lambda: at_once(lambda: cu.cuMemcpyDtoH(bytearray(16), p, 16)),
                "HtoD": lambda: at_once(lambda: cu.cuMemcpyHtoD(p, bytes(16), 16)),
                "memset": lambda: at_once(lambda: cu.cuMemsetD8(p, 1, 16)),
                "range": lambda: at_once(lambda: cu.cuMemGetAddressRange(p)),
                "type": lambda: get_attribute(ATTRIBUTES["MEMORY_TYPE"], p)[0],
                "DEVICE_POINTER": lambda: get_attribute(ATTRIBUTES["DEVICE_POINTER"], p)[0],
                "HOST_POINTER": lambda: get_attribute(ATTRIBUTES["HOST_POINTER"], p)[0],
                "START": lambda: get_attribute(ATTRIBUTES["RANGE_START_ADDR"], p)[0],
                "pool": lambda: get_attribute(ATTRIBUTES["MEMPOOL_HANDLE"], p)[0],
                "forward": lambda: at_once(lambda: cu.cuMemHostGetDevicePointer(p, 0)),
                "free again": lambda: at_once(lambda: cu.cuMemFreeAsync(p, a.stream)),
                "cuMemFree": lambda: at_once(lambda: cu.cuMemFree(p)),
                "async copy in its stream": lambda: at_once(lambda: cu.cuMemcpyDtoHAsync(out, p, 16, a.stream)),
                "async memset in its stream": lambda: at_once(lambda: cu.cuMemsetD8Async(p, 1, 16, a.stream)),
                "DtoD": lambda: at_once(lambda: cu.cuMemcpyDtoD(keep, p, 16)),
                "host flags": lambda: at_once(lambda: cu.cuMemHostGetFlags(p))}[label]()
            yield f"{label}: a neighbour", at_once(lambda: cu.cuMemGetAddressRange(q))


@question("memory that a held stream is to take is known to the host, and copies of the host wait for nothing of it", alone=True)
def alive_at_once():
    with Held() as a:
        pool = new_pool()
        p = pool_block(pool, 4096, a.stream)
        yield "range", outcome(cu.cuMemGetAddressRange(p), lambda v: 0 if int(v) == p else int(v))
        yield "type", list(get_attribute(ATTRIBUTES["MEMORY_TYPE"], p)[:2])
        yield "used, reserved", used_and_reserved(pool)
        yield "HtoD", at_once(lambda: cu.cuMemcpyHtoD(p, bytes(16), 16))
    for label, call in {"DtoH": lambda p: cu.cuMemcpyDtoH(bytearray(16), p, 16), "memset": lambda p: cu.cuMemsetD8(p, 1, 16),
                        "cuMemFree": lambda p: cu.cuMemFree(p), "free on the NULL stream": lambda p: cu.cuMemFreeAsync(p, 0)}.items():
        with Held() as a:
            p = pool_block(new_pool(), 4096, a.stream)
            yield label, at_once(lambda: call(p))


@question("cuMemAlloc's memory that is freed on a held stream lives until the stream comes to it", alone=True)
def of_mem_alloc():
    with Held() as a:
        p, q = int(must(cu.cuMemAlloc(8 * MIB))), int(must(cu.cuMemAlloc(8 * MIB)))
        yield "free", at_once(lambda: cu.cuMemFreeAsync(p, a.stream))
        yield "type", get_attribute(ATTRIBUTES["MEMORY_TYPE"], p)[0]
        yield "range", ask(cu.cuMemGetAddressRange(p))
        yield "DtoH", at_once(lambda: cu.cuMemcpyDtoH(bytearray(16), p, 16))
        plain = int(must(cu.cuMemAlloc(8 * MIB)))
        yield "cuMemAlloc gives it again, held", plain == p
        third = int(must(cu.cuMemAllocAsync(8 * MIB, a.stream)))
        yield "cuMemAllocAsync gives it again, held", third == p
        a.finish()
        yield "q", ask(cu.cuMemFree(q))


@question("cuMemFree of a pool's memory waits for nobody, and counts at once", alone=True)
def free_by_mem_free():
    for label, on_held in (("taken on the held stream", True), ("taken on another", False)):
        with Held() as a:
            pool, s = new_pool(), must(cu.cuStreamCreate(1))
            p = pool_block(pool, 4096, a.stream if on_held else s)
            keep = pool_block(pool, 4096, s)
            if on_held:
                must(cu.cuMemsetD8Async(p, 5, 16, a.stream))
            yield f"{label}: free", at_once(lambda: cu.cuMemFree(p))
            yield f"{label}: type", get_attribute(ATTRIBUTES["MEMORY_TYPE"], p)[0]
            yield f"{label}: used", used_and_reserved(pool)
            yield f"{label}: the other stream takes", where(pool_block(pool, 4096, s), before=p, keep=keep)
            yield f"{label}: the held stream takes", where(pool_block(pool, 4096, a.stream), before=p, keep=keep)


@question("the host that overwrites memory under a held copy: pageable memory was staged, pinned memory is read late", alone=True)
def staged():
    for kind in ("pageable", "pinned", "registered"):
        for size in (4, 64 * KIB, 64 * KIB + 1, MIB, 2 * MIB, 2 * MIB + 1, 4 * MIB):
            device, host = int(must(cu.cuMemAlloc(8 * MIB))), int(must(cu.cuMemHostAlloc(8 * MIB, 0))) if kind == "pinned" else pages(8 * MIB)
            if kind == "registered":
                must(cu.cuMemHostRegister(host, 8 * MIB, 0))
            with Held() as a:
                ctypes.memset(host, 1, size)
                yield f"{kind}: {size}", at_once(lambda: cu.cuMemcpyHtoDAsync(device, host, size, a.stream))
                ctypes.memset(host, 2, size)
                a.go()
                must(cu.cuCtxSynchronize())
                out = bytearray(size)
                must(cu.cuMemcpyDtoH(out, device, size))
                yield f"{kind}: {size}: first, last", [out[0], out[-1]]
                if kind == "registered":
                    must(cu.cuMemHostUnregister(host))
