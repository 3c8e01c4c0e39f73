"""Stream-ordered allocation: memory that begins and ends with the work of a stream, from pools."""
from cuda.bindings import driver as cu

from ...asking import DRIVER, question
from ...helpers import kernels
from ...helpers.calls import ask, must, new_context, outcome, pattern, where, write
from ...helpers.kernels import i32
from ...helpers.memory_kinds import KINDS, access, location, make
from ...helpers.pools import POOL, default_pool


@question("allocating takes a size, on any stream")
def allocate():
    s = must(cu.cuStreamCreate(1))
    for size in (0, 1, 512, 1 << 20, 33 << 20, 1 << 46, 1 << 63):
        yield f"{size}", ask(cu.cuMemAllocAsync(size, s))
    yield "NULL stream", ask(cu.cuMemAllocAsync(100, 0))
    for size in (1, 100, 513, 65536):
        a = int(must(cu.cuMemAllocAsync(size, s)))
        start, length = must(cu.cuMemGetAddressRange(a))
        yield f"{size}: range", [where(start, a=a), int(length)]
        yield f"{size}: aligned to 256, 512", [a % 256 == 0, a % 512 == 0]
    must(cu.cuStreamSynchronize(s))


@question("memory is freed on a stream, by cuMemFree, but once only")
def free():
    s = must(cu.cuStreamCreate(1))
    def fresh():
        a = int(must(cu.cuMemAllocAsync(4096, s)))
        must(cu.cuStreamSynchronize(s))
        return a
    a = fresh()
    yield "async", ask(cu.cuMemFreeAsync(a, s))
    yield "async again", ask(cu.cuMemFreeAsync(a, s))
    yield "cuMemFree after async", ask(cu.cuMemFree(a))
    b = fresh()
    yield "interior, async", ask(cu.cuMemFreeAsync(b + 512, s))
    yield "interior", ask(cu.cuMemFree(b + 512))
    yield "cuMemFree", ask(cu.cuMemFree(b))
    yield "cuMemFree again", ask(cu.cuMemFree(b))
    yield "async after cuMemFree", ask(cu.cuMemFreeAsync(b, s))
    yield "null, async", ask(cu.cuMemFreeAsync(0, s))
    yield "another stream", ask(cu.cuMemFreeAsync(fresh(), 0))
    yield "cuMemAlloc memory, async", ask(cu.cuMemFreeAsync(int(must(cu.cuMemAlloc(4096))), s))
    yield "synchronize", ask(cu.cuStreamSynchronize(s))


@question("cuMemFreeAsync by kind of memory")
def free_by_kind():
    for kind in KINDS:
        yield f"{kind}: start", lambda: ask(cu.cuMemFreeAsync(make(kind).address, 0))
        yield f"{kind}: interior", lambda: ask(cu.cuMemFreeAsync(make(kind).address + 512, 0))


@question("a copy from memory that was freed on a stream")
def after_free():
    a = int(must(cu.cuMemAllocAsync(4096, 0)))
    write(a, pattern(16))
    must(cu.cuMemFreeAsync(a, 0))
    must(cu.cuStreamSynchronize(0))
    yield "DtoH", ask(cu.cuMemcpyDtoH(bytearray(16), a, 16))
    yield "range", ask(cu.cuMemGetAddressRange(a))
    yield "type", ask(cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, a))
    yield "memset", ask(cu.cuMemsetD8(a, 1, 16))


@question("the same stream gets the same memory again at once", varies="the pool's choice")
def reuse():
    s = must(cu.cuStreamCreate(1))
    a = int(must(cu.cuMemAllocAsync(4096, s)))
    must(cu.cuMemFreeAsync(a, s))
    return where(must(cu.cuMemAllocAsync(4096, s)), before=a)


@question("kernels and copies of the stream use the memory in order")
def use():
    s = must(cu.cuStreamCreate(1))
    a = int(must(cu.cuMemAllocAsync(64, s)))
    must(kernels.launch("fill", a, i32(3), i32(8), stream=int(s)))
    out = bytearray(8)
    must(cu.cuMemcpyDtoHAsync(out, a, 8, s))
    must(cu.cuMemFreeAsync(a, s))
    must(cu.cuStreamSynchronize(s))
    return out.hex()


@question("a pool's attributes have defaults and can be set", alone=True)
def attributes():
    pool = default_pool()
    for attribute in map(POOL, range(1, 9)):
        yield f"{attribute.name[16:].lower()}", outcome(cu.cuMemPoolGetAttribute(pool, attribute))
    for attribute in map(POOL, range(1, 9)):
        for value in (0, 1, 1 << 20):
            boxed = cu.cuuint64_t(value) if int(attribute) > 3 else value
            yield f"set {attribute.name[16:].lower()} {value}", [ask(cu.cuMemPoolSetAttribute(pool, attribute, boxed)),
                                                                outcome(cu.cuMemPoolGetAttribute(pool, attribute))]


@question("a pool tells how much is used and how much is reserved", alone=True)
def usage():
    pool = default_pool()
    used, reserved = POOL.CU_MEMPOOL_ATTR_USED_MEM_CURRENT, POOL.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT
    def now():
        return [outcome(cu.cuMemPoolGetAttribute(pool, used)), outcome(cu.cuMemPoolGetAttribute(pool, reserved))]
    must(cu.cuMemPoolTrimTo(pool, 0))
    yield "before", now()
    a = must(cu.cuMemAllocAsync(1000, 0))
    yield "1000 bytes", now()
    b = must(cu.cuMemAllocAsync(40 << 20, 0))
    yield "and 40 MiB", now()
    must(cu.cuMemFreeAsync(b, 0))
    yield "freed, not synchronized", now()[0]
    must(cu.cuStreamSynchronize(0))
    yield "synchronized", now()
    must(cu.cuMemFreeAsync(a, 0))
    must(cu.cuStreamSynchronize(0))
    yield "all freed", now()
    yield "high", outcome(cu.cuMemPoolGetAttribute(pool, POOL.CU_MEMPOOL_ATTR_USED_MEM_HIGH))
    yield "trim", ask(cu.cuMemPoolTrimTo(pool, 0))
    yield "trimmed", now()


@question("the default pool is the device's, exists without a context, and cannot be destroyed", needs=DRIVER)
def default():
    pool = default_pool()
    yield "current pool is the default one", int(must(cu.cuDeviceGetMemPool(0))) == int(pool)
    yield "destroy it", ask(cu.cuMemPoolDestroy(pool))
    yield "allocate without a context", ask(cu.cuMemAllocAsync(100, 0))
    yield "destroy null", ask(cu.cuMemPoolDestroy(0))


@question("pools can be made, used, made the device's own, and destroyed")
def own_pool():
    properties = cu.CUmemPoolProps()
    properties.allocType = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    properties.location = location()
    pool = must(cu.cuMemPoolCreate(properties))
    a = int(must(cu.cuMemAllocFromPoolAsync(4096, pool, 0)))
    yield "free", ask(cu.cuMemFreeAsync(a, 0))
    yield "set", ask(cu.cuDeviceSetMemPool(0, pool))
    yield "current", int(must(cu.cuDeviceGetMemPool(0))) == int(pool)
    yield "default stays", int(default_pool()) != int(pool)
    b = int(must(cu.cuMemAllocAsync(4096, 0)))
    result = cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, b)
    yield "an allocation's pool", [ask(result), int(result[1]) == int(pool)]
    yield "access of its device", outcome(cu.cuMemPoolGetAccess(pool, location()))
    yield "set access", ask(cu.cuMemPoolSetAccess(pool, [access("read and write")], 1))
    yield "set no access", ask(cu.cuMemPoolSetAccess(pool, [access("none")], 1))
    yield "destroy while memory lives", ask(cu.cuMemPoolDestroy(pool))
    yield "the memory lives", ask(cu.cuMemcpyDtoH(bytearray(4), b, 4))
    yield "the device's pool then", int(must(cu.cuDeviceGetMemPool(0))) == int(default_pool())
    yield "free it", ask(cu.cuMemFreeAsync(b, 0))
    for ordinal in (-1, 9):
        properties.location = location(ordinal=ordinal)
        yield f"create on device {ordinal}", ask(cu.cuMemPoolCreate(properties))
    properties.location = location("host")
    yield "create on the host", ask(cu.cuMemPoolCreate(properties))
    properties.location = location("host numa")
    yield "create on host numa 0", ask(cu.cuMemPoolCreate(properties))


@question("destroying the context that allocated it leaves stream-ordered memory to the pool")
def context():
    first = new_context()
    a = int(must(cu.cuMemAllocAsync(4096, 0)))
    must(cu.cuStreamSynchronize(0))
    write(a, pattern(16))
    must(cu.cuCtxDestroy(first))
    second = new_context()
    yield "copy", ask(cu.cuMemcpyDtoH(bytearray(4), a, 4))
    yield "free", ask(cu.cuMemFreeAsync(a, 0))
    must(cu.cuCtxDestroy(second))
