"""Memory from a pool of managed memory: its parts, limits, streams and copies; the default pools (CUDA 13)."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import DRIVER, question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, must, new_context, outcome, pattern, raw, read
from ...helpers.kernels import i32
from ...helpers.managed_memory import MIB, PAGE, attribute, by_page, facts, fresh, host_byte, host_write, prefetch, prefetch_and_wait
from ...helpers.managed_pools import MANAGED, MOVABLE, place_of, pool_block, pool_of, pools
from ...helpers.pools import POOL, THRESHOLD, USED, take
from ...helpers.threads_and_forks import in_thread

PLACES = ("nowhere", "device", "host")


@question("parts of a managed pool's memory say where they were prefetched, whatever its size")
def parts():
    for title, pool in pools():
        for size in (100, 5000, 2 * MIB + 1, 5 * MIB):
            a = pool_block(pool, size)
            yield f"{title}, {size}: fresh", [facts(a, 1), facts(a + size - 1, 1), facts(a, size), facts(a, size + 1)]
        prefetch_and_wait(a + PAGE, 2 * PAGE, "device")
        prefetch_and_wait(a + 4 * PAGE, 1, "host")
        yield f"{title}: two parts prefetched", [by_page(a, 6, mm.PREFETCHED), attribute(mm.PREFETCHED, a, 2 * PAGE),
                                                 attribute(mm.PREFETCHED, a + PAGE, 2 * PAGE),
                                                 attribute(mm.PREFETCHED, a, 5 * MIB)]
        for number in mm.ATTRIBUTES:
            yield f"{title}: {mm.ATTRIBUTES[number]}, room for 0, 4, 8 bytes", lambda: [
                attribute(number, a, PAGE, room, 2) for room in (0, 4, 8)]


@question("a default pool of managed memory gives memory, counts it, is trimmed, and is not destroyed", alone=True)
def default_pools():
    for title in PLACES:
        default = cu.cuMemGetDefaultMemPool(place_of(title), cu.CUmemAllocationType(MANAGED))
        yield f"{title}: found", ask(default)
        if int(default[0]):
            continue
        pool = default[1]
        result = take(pool, 4 * MIB)
        yield f"{title}: take", [ask(result), ask(cu.cuStreamSynchronize(0))]
        if not int(result[0]):
            a = int(result[1])
            yield f"{title}: used", lambda: [host_write(a, 7), ask(kernels.run("fill", a + 1, i32(1), i32(2))),
                                             ctypes.string_at(a, 4).hex()]
            yield f"{title}: said", facts(a, 4 * MIB)
            yield f"{title}: count", outcome(cu.cuMemPoolGetAttribute(pool, USED))
            yield f"{title}: free", [ask(cu.cuMemFreeAsync(a, 0)), ask(cu.cuStreamSynchronize(0)),
                                     outcome(cu.cuMemPoolGetAttribute(pool, USED))]
        yield f"{title}: threshold", outcome(cu.cuMemPoolGetAttribute(pool, THRESHOLD))
        yield f"{title}: trim", ask(cu.cuMemPoolTrimTo(pool, 0))
        yield f"{title}: destroy", lambda: ask(cu.cuMemPoolDestroy(pool))


@question("a managed pool with a largest size refuses more")
def largest_size():
    for max_size in (1, 32 * MIB, 64 * MIB):
        created = pool_of(max_size=max_size)
        if int(created[0]):
            yield f"{max_size}", ask(created)
            continue
        yield f"{max_size}: taken in steps of 16 MiB", [ask(take(created[1], 16 * MIB)) for _ in range(6)]
        yield f"{max_size}: a small one then", ask(take(created[1], 1000))


@question("a managed pool's attributes are set, or refused, as those of other pools")
def attributes():
    pool = must(pool_of())
    for pool_attribute in POOL:
        if not 0 < int(pool_attribute) < 9:
            continue
        number = cu.cuuint64_t if int(pool_attribute) > 3 else int
        for value in (0, 1, 5 * MIB):
            result = cu.cuMemPoolSetAttribute(pool, pool_attribute, number(value))
            yield f"{pool_attribute.name[18:]} set to {value}", [ask(result), outcome(cu.cuMemPoolGetAttribute(pool, pool_attribute))]
    a = pool_block(pool)
    high = POOL.CU_MEMPOOL_ATTR_USED_MEM_HIGH
    yield "in use, and at most", [outcome(cu.cuMemPoolGetAttribute(pool, pool_attribute)) for pool_attribute in (USED, high)]
    must(cu.cuMemFreeAsync(a, 0))
    must(cu.cuStreamSynchronize(0))
    yield "freed", [outcome(cu.cuMemPoolGetAttribute(pool, pool_attribute)) for pool_attribute in (USED, high)]
    yield "at most, set back", [ask(cu.cuMemPoolSetAttribute(pool, high, cu.cuuint64_t(0))),
                                outcome(cu.cuMemPoolGetAttribute(pool, high))]


@question("memory from a managed pool is taken, used and freed in the order of a stream")
def in_order():
    for title, pool in pools():
        s, t, out = must(cu.cuStreamCreate(1)), must(cu.cuStreamCreate(1)), fresh()
        a = int(must(take(pool, 65536, s)))
        codes = [ask(cu.cuMemsetD8Async(a, 5, 64, s)),
                 ask(kernels.launch("fill", a + 1, i32(1), i32(2), stream=int(s))),
                 ask(cu.cuMemcpyDtoDAsync(out, a, 8, s)), ask(cu.cuMemFreeAsync(a, s)), ask(cu.cuStreamSynchronize(s))]
        yield f"{title}: one stream", [*codes, ctypes.string_at(out, 8).hex(), ask(cu.cuMemGetAddressRange(a))]
        b, event = int(must(take(pool, 65536, s))), must(cu.cuEventCreate(2))
        codes = [ask(cu.cuEventRecord(event, s)), ask(cu.cuStreamWaitEvent(t, event, 0)),
                 ask(cu.cuMemsetD8Async(b, 6, 64, t)),
                 ask(cu.cuMemFreeAsync(b, t)), ask(cu.cuStreamSynchronize(t)), ask(cu.cuMemFreeAsync(b, t))]
        yield f"{title}: freed in another", codes


@question("memory from a managed pool is copied and set up to its end")
def copies():
    for title, pool in pools():
        for size in (100, 65536, 3 * MIB):
            a, offset = pool_block(pool, size), size - 8
            data = pattern(8)
            yield f"{title}, {size}: to its end", [ask(cu.cuMemcpyHtoD(a + offset, data, 8)), ask(cu.cuCtxSynchronize()),
                                                   read(a + offset, 8) == data,
                                                  ctypes.string_at(a + offset, 8) == data,
                                                   ask(cu.cuMemsetD8(a + offset, 1, 8))]
            yield f"{title}, {size}: a byte more", [ask(cu.cuMemcpyHtoD(a + offset, data + b"x", 9)),
                                                    ask(cu.cuMemcpyDtoH(bytearray(9), a + offset, 9)),
                                                   ask(cu.cuMemsetD8(a + offset, 1, 9)),
                                                    ask(cu.cuMemcpyDtoD(a + offset, a, 9)),
                                                   prefetch(a + offset, 9), ask(cu.cuCtxSynchronize())]


@question("a managed pool is made and used without a context, in a thread, and in a second context", needs=DRIVER)
def contexts():
    yield "made without a context", ask(pool_of())
    first = new_context()
    pool = must(pool_of())
    a = pool_block(pool)
    host_write(a, 7)
    yield "a thread without a context", lambda: in_thread(lambda: [
        ask(take(pool, PAGE)), ask(cu.cuMemFreeAsync(a, 0)), ask(pool_of()), host_byte(a)])
    second = new_context()
    b = pool_block(pool)
    yield "a second context", [ask(kernels.run("fill", a, i32(1), i32(2))), host_byte(a + 1),
                               facts(b, PAGE) == facts(a, PAGE)]
    yield "freed there", [ask(cu.cuMemFreeAsync(a, 0)), ask(cu.cuStreamSynchronize(0))]
    yield "that context is destroyed", [ask(cu.cuCtxDestroy(second)), ask(cu.cuCtxSetCurrent(first))]
    yield "what was taken there", lambda: [host_write(b, 9), ask(kernels.run("fill", b + 1, i32(1), i32(2))),
                                           ctypes.string_at(b, 4).hex(),
                                          ask(cu.cuMemFreeAsync(b, 0))]
    yield "destroyed", lambda: ask(cu.cuMemPoolDestroy(pool))


@question("a managed pool is refused with a kind, a place or a use that there is not", alone=True)
def refused():
    def create_pool(kind=MANAGED, place=(1, 0), max_size=0, usage=0, handles=0):
        cells = (ctypes.c_ubyte * 88)()
        for at, value in ((0, kind), (4, handles), (8, place[0]), (12, place[1])):
            ctypes.c_int.from_buffer(cells, at).value = value
        ctypes.c_size_t.from_buffer(cells, 24).value, ctypes.c_ushort.from_buffer(cells, 32).value = max_size, usage
        return raw("cuMemPoolCreate", ctypes.byref(ctypes.c_uint64(0)), cells)
    for kind in (0, 1, 2, 3, 0x7FFFFFFF):
        yield f"kind {kind}", lambda: create_pool(kind)
    for place in ((0, 0), (0, 5), (1, 0), (1, 1), (1, -1), (2, 0), (2, 5), (2, -1), (3, 0), (3, 1), (3, -1), (4, 0),
                  (5, 0), (0x7FFFFFFF, 0)):
        yield f"place {place}", lambda: create_pool(place=place)
    for max_size in (1, PAGE, 1 << 40, (1 << 64) - 1):
        yield f"largest size {max_size}", lambda: create_pool(max_size=max_size)
    for value in (1, 2, 3, 4, 1 << 15):
        yield f"usage {value}", lambda: create_pool(usage=value)
    for value in (1, 2, 4, 8, 16):
        yield f"handles {value}", lambda: create_pool(handles=value)
    yield "null properties", lambda: raw("cuMemPoolCreate", ctypes.byref(ctypes.c_uint64(0)), None)
    yield "null result", lambda: raw("cuMemPoolCreate", None, (ctypes.c_ubyte * 88)())


@question("pools of each place give memory that is apart, and freed memory comes from the pool again")
def several_pools():
    pools_ = [(title, must(pool_of(title))) for title in MOVABLE if not int(pool_of(title)[0])]
    blocks = [[pool_block(pool, 65536) for _ in range(3)] for _, pool in pools_]
    flat = sorted(a for block in blocks for a in block)
    yield "apart", all(y - x >= 65536 for x, y in zip(flat, flat[1:]))
    for value, a in enumerate(flat):
        host_write(a, value + 1, 65536)
    yield "content", [host_byte(a + 65535) == value + 1 for value, a in enumerate(flat)]
    for (title, pool), block in zip(pools_, blocks):
        codes = [ask(cu.cuMemFreeAsync(a, 0)) for a in block]
        yield f"{title}: freed", [codes, ask(cu.cuStreamSynchronize(0)), outcome(cu.cuMemPoolGetAttribute(pool, USED))]
        yield f"{title}: pool destroyed", lambda: ask(cu.cuMemPoolDestroy(pool))
