"""Memory from pools of managed memory as programs use it: counted, shared by threads, beside other memory."""
import ctypes

import numpy as np
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, must, outcome, pattern, raw, read, where, write
from ...helpers.kernels import i32
from ...helpers.managed_calls import range_attributes
from ...helpers.managed_memory import MIB, PAGE, attribute, batch, facts, fresh, host_byte, host_write, prefetch, view
from ...helpers.managed_pools import pool_block, pool_of
from ...helpers.memory_kinds import make
from ...helpers.pools import POOL, USED, take
from ...helpers.rectangles import rectangle
from ...helpers.streams import stream
from ...helpers.threads_and_forks import in_thread
from ...helpers.turns import run


def used_bytes(pool):
    return outcome(cu.cuMemPoolGetAttribute(pool, USED))


@question("a managed pool counts what is in use in whole pieces, and nothing when all is freed")
def counted():
    pool = must(pool_of())
    for size in (1, 512, 513, 5000, 2 * MIB + 1):
        a = pool_block(pool, size)
        count = used_bytes(pool)
        yield f"{size}", [count, ask(cu.cuMemFreeAsync(a, 0)), ask(cu.cuStreamSynchronize(0)), used_bytes(pool)]
    blocks = [pool_block(pool, 1000) for _ in range(10)]
    yield "ten of 1000", [used_bytes(pool), sorted({ask(cu.cuMemFreeAsync(a, 0)) for a in blocks}),
                          ask(cu.cuStreamSynchronize(0)), used_bytes(pool)]
    yield "at most", outcome(cu.cuMemPoolGetAttribute(pool, POOL.CU_MEMPOOL_ATTR_USED_MEM_HIGH))


@question("a structure is built by the host in memory from a managed pool, and changed by kernels")
def structures():
    for title in ("device", "host", "nowhere"):
        result = pool_of(title)
        if int(result[0]):
            yield title, ask(result)
            continue
        taken_ = take(result[1], 8 * PAGE)
        yield f"{title}: taken", [ask(taken_), ask(cu.cuStreamSynchronize(0))]
        if int(taken_[0]):
            continue
        x = view(a := int(taken_[1]), np.float32, 100)
        x[:] = 2
        yield f"{title}: added", [run("saxpy", i32(100), np.float32(3), a, a, block=128), float(x.sum())]
        x[0] = 0
        yield f"{title}: and again", [run("saxpy", i32(100), np.float32(1), a, a, block=128), x[:3].tolist(),
                                      facts(a, PAGE)]


@question("pointers to blocks of a managed pool and of others lie in a block of that pool")
def table():
    pool = must(pool_of())
    t, out = pool_block(pool, PAGE), pool_block(pool, PAGE)
    pointers = [pool_block(pool, 100), fresh(), make("device").address, make("pinned").address,
                pool_block(pool, 3 * MIB) + 3 * MIB - 1]
    view(t, np.uint64, 5)[:] = pointers
    yield "written", [run("scatter", t, i32(5), i32(0x31)), run("gather", t, i32(5), out),
                      ctypes.string_at(out, 5).hex()]
    yield "the host reads those of the pool", [host_byte(pointers[0]), host_byte(pointers[4])]
    yield "freed", sorted({ask(cu.cuMemFreeAsync(a, 0)) for a in (t, out, pointers[0])})


@question("memory from a managed pool is copied to and from every other kind")
def copied():
    pool = must(pool_of())
    for kind in ("device", "pinned", "registered", "mapped", "managed", "stream-ordered", "module variable"):
        a, b = pool_block(pool, 5000), make(kind).address
        write(b, pattern(64))
        yield kind, [ask(cu.cuMemcpyDtoD(a, b, 64)), ask(cu.cuCtxSynchronize()), ctypes.string_at(a, 64) == pattern(64),
                     ask(cu.cuMemcpy(b + 8, a, 8)), ask(cu.cuCtxSynchronize()), read(b, 16) == pattern(8) * 2]


@question("every memset and a copy by rows write memory from a managed pool")
def memsets():
    a = pool_block(must(pool_of()), 64 << 10)
    for label, call in {"D8": lambda: cu.cuMemsetD8(a, 1, 3), "D16": lambda: cu.cuMemsetD16(a + 4, 0x0302, 2),
                        "D32": lambda: cu.cuMemsetD32(a + 8, 0x07060504, 1),
                        "rows": lambda: cu.cuMemsetD2D8(a + 16, 8, 9, 2, 3),
                        "copied by rows": lambda: cu.cuMemcpy2D(rectangle(a, a + 64, 4, 3, 8, 4)),
                        "D16 not aligned": lambda: cu.cuMemsetD16(a + 1, 1, 2)}.items():
        yield label, [ask(call()), ask(cu.cuCtxSynchronize()), ctypes.string_at(a, 80).hex()]


@question("what one thread takes from a managed pool another uses and frees")
def threads():
    pool, context = must(pool_of()), must(cu.cuCtxGetCurrent())

    def with_context(work):
        def whole():
            must(cu.cuCtxSetCurrent(context))
            return work()
        return in_thread(whole)
    a = with_context(lambda: pool_block(pool, 5000))
    yield "used here", [host_write(a, 7), ask(kernels.run("fill", a + 1, i32(1), i32(2))), ctypes.string_at(a, 4).hex(),
                        used_bytes(pool)]
    yield "used there", with_context(lambda: [ask(cu.cuMemsetD8(a, 9, 2)), ask(cu.cuCtxSynchronize()),
                                              ctypes.string_at(a, 3).hex()])
    yield "freed there", with_context(lambda: [ask(cu.cuMemFreeAsync(a, 0)), ask(cu.cuStreamSynchronize(0))])
    yield "here then", [used_bytes(pool), ask(cu.cuMemFreeAsync(a, 0)), ask(cu.cuMemGetAddressRange(a))]


@question("a managed pool that is destroyed while its memory is in use lets it be used and freed", alone=True)
def destroyed_in_use():
    pool = must(pool_of())
    a = pool_block(pool, 5000)
    host_write(a, 7)
    yield "destroy", ask(cu.cuMemPoolDestroy(pool))
    yield "the host", lambda: [host_byte(a), host_write(a, 8), host_byte(a)]
    yield "a kernel", lambda: [ask(kernels.run("fill", a + 1, i32(1), i32(2))), host_byte(a + 2)]
    yield "its range", lambda: outcome(cu.cuMemGetAddressRange(a + 100)[::2])
    yield "freed", lambda: [ask(cu.cuMemFreeAsync(a, 0)), ask(cu.cuStreamSynchronize(0)),
                            ask(cu.cuMemGetAddressRange(a))]


@question("parts of a managed pool's block are prefetched in streams and told by one call")
def prefetched():
    pool, s = must(pool_of()), stream()
    a = pool_block(pool, 5 * MIB)
    for label, at, size, place in (("the first page", 0, PAGE, "host"),
                                   ("from its middle", 2 * MIB + 100, MIB, "device"),
                                   ("the last byte", 5 * MIB - 1, 1, "host")):
        yield label, [prefetch(a + at, size, place, 0, s), ask(cu.cuStreamSynchronize(s)),
                      range_attributes([mm.PREFETCHED, mm.PREFETCHED_TYPE, mm.MOSTLY], a + at, size)]
    yield "all", attribute(mm.PREFETCHED, a, 5 * MIB)
    host_write(a + 2 * MIB, 7)
    yield "discarded and written", [batch(mm.DISCARD, [a + 2 * MIB], [2 * MIB], stream=s),
                                    ask(cu.cuStreamSynchronize(s)),
                                    ask(cu.cuMemsetD8(a + 2 * MIB, 5, 2 * MIB)), ask(cu.cuCtxSynchronize()),
                                    set(ctypes.string_at(a + 2 * MIB, 2 * MIB)) == {5}]


@question("a request to a managed pool with a null place, no pool or more than there are addresses is refused",
          alone=True)
def refused():
    pool, out = must(pool_of()), ctypes.c_uint64(77)
    for label, to, size, from_, on in (("null place", None, PAGE, int(pool), 0),
                                       ("no pool", ctypes.byref(out), PAGE, 0, 0),
                                       ("2^63 bytes", ctypes.byref(out), 1 << 63, int(pool), 0),
                                       ("2^64 - 1 bytes", ctypes.byref(out), (1 << 64) - 1, int(pool), 0)):
        yield label, lambda: [raw("cuMemAllocFromPoolAsync", to, size, from_, on), where(out.value, untouched=77)]
    yield "no bytes", lambda: [raw("cuMemAllocFromPoolAsync", ctypes.byref(out), 0, int(pool), 0), where(out.value)]
    a = pool_block(pool, 100)
    yield "freed inside", lambda: [ask(cu.cuMemFreeAsync(a + 1, 0)), ask(cu.cuMemFree(a + 64)), used_bytes(pool)]
    yield "freed twice", lambda: [ask(cu.cuMemFreeAsync(a, 0)), ask(cu.cuStreamSynchronize(0)),
                                  ask(cu.cuMemFreeAsync(a, 0)), ask(cu.cuMemFree(a))]
