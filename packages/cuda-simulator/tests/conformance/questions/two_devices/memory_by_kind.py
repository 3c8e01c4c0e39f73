"""Memory of two devices in one process: of streams, pools, modules and the host; what a context leaves."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import two_device_question as question
from ...helpers import kernels
from ...helpers.calls import ask, must, new_context, outcome, using, where
from ...helpers.managed_memory import fresh, host_byte
from ...helpers.memory_kinds import LARGE, SMALL, access, create, location, make, pages, properties, reserve, set_access
from ...helpers.peers import block_on, copied_bytes, copy_code_at, enable, kernel_read, kernel_write, mapped_on, on, ordinal, two_contexts
from ...helpers.pointer_attributes import driver_knows


@question("stream-ordered memory is made where its stream is, and freed in streams of either device")
def stream_ordered():
    first, second = two_contexts()
    streams = {"0": must(cu.cuStreamCreate(1)), "1": on(second, lambda: must(cu.cuStreamCreate(1)))}
    for label, stream in streams.items():
        for freeing, freed_on in streams.items():
            result = cu.cuMemAllocAsync(4096, stream)
            if int(result[0]):
                yield f"taken in a stream of {label}", ask(result)
                continue
            a = int(result[1])
            must(cu.cuStreamSynchronize(stream))
            yield f"taken in a stream of {label}, freed in one of {freeing}", [
                ordinal(a), copy_code_at(a), ask(cu.cuMemFreeAsync(a, freed_on)), ask(cu.cuStreamSynchronize(freed_on)), driver_knows(a)]
    yield "NULL stream, with each context", [ordinal(int(must(cu.cuMemAllocAsync(64, 0)))),
                                             on(second, lambda: ordinal(int(must(cu.cuMemAllocAsync(64, 0)))))]


@question("variables of a module are each device's own, and are copied from one to the other")
def variables():
    first, second = two_contexts()
    variable_0, variable_1 = (on(context, lambda: int(must(cu.cuModuleGetGlobal(kernels.module(), b"zeros"))[0]))
                              for context in (first, second))
    table_here, table_there = (on(context, lambda: int(must(cu.cuModuleGetGlobal(kernels.module(), b"table"))[0]))
                               for context in (first, second))
    yield "write here, look there", [ask(cu.cuMemsetD8(variable_0, 5, 8)), ask(cu.cuCtxSynchronize()),
                                     on(second, copied_bytes, variable_1)]
    yield "copy from one to the other", [ask(cu.cuMemcpyDtoD(variable_1, variable_0, 8)), ask(cu.cuCtxSynchronize()),
                                         on(second, copied_bytes, variable_1)]
    yield "constants", [ask(cu.cuMemcpyDtoD(table_here, table_there + 4, 8)), ask(cu.cuCtxSynchronize()),
                        copied_bytes(table_here, 8)]
    yield "by cuMemcpyPeer", [ask(cu.cuMemcpyPeer(variable_0, first, table_there, second, 8)), ask(cu.cuCtxSynchronize()),
                              copied_bytes(variable_0, 8)]
    yield "the other's variable by a kernel", lambda: kernel_read(variable_1)
    yield "and with peer access", lambda: [enable(second), kernel_read(variable_1), kernel_write(variable_1, 9),
                                           on(second, copied_bytes, variable_1)]


@question("memory on the host that virtual memory management made serves both devices by their rights")
def host_located():
    first, second = two_contexts()
    base, handle = reserve(), create(place="host numa")
    must(cu.cuMemMap(base, LARGE, 0, handle, 0))
    yield "access for the first", [ask(set_access(base)), kernel_read(base), kernel_write(base, 3)]
    yield "a copy in the second", lambda: on(second, copy_code_at, base)
    further_rights = [access("read and write", ordinal=1), access("read and write", "host numa")]
    yield "access for both and the host", [ask(cu.cuMemSetAccess(base, LARGE, further_rights, 2)),
                                           on(second, lambda: [kernel_read(base), kernel_write(base, 7)])]
    yield "the host reads", lambda: ctypes.string_at(base, 1).hex()
    yield "ordinal", ordinal(base)
    yield "taken from the first", [ask(set_access(base, rights="none")), copy_code_at(base), on(second, copy_code_at, base)]
    yield "a kernel of the first", lambda: kernel_read(base)


@question("managed memory is freed, measured and attached from either context, and lives as long as its own")
def managed():
    first, second = two_contexts()
    a = on(second, fresh)
    yield "range", outcome(cu.cuMemGetAddressRange(a + 5), as_=lambda value: where(value, start=a))
    yield "copies", [ask(cu.cuMemcpyHtoD(a, b"abcd", 4)), copied_bytes(a), on(second, lambda: ask(cu.cuMemsetD8(a, 3, 2))),
                     on(second, copied_bytes, a)]
    yield "to the other's device memory", [ask(cu.cuMemcpyDtoD(block_on(first), a, 8)),
                                           on(second, lambda: ask(cu.cuMemcpyDtoD(block_on(second), a, 8)))]
    yield "attached to the host: a kernel of each", [ask(cu.cuStreamAttachMemAsync(0, a, 0, 2)),
                                                     ask(cu.cuCtxSynchronize()), kernel_read(a), on(second, kernel_read, a)]
    yield "the host reads what both wrote", [kernel_write(a, 0x21), on(second, kernel_write, a + 1, 0x43),
                                             [host_byte(a), host_byte(a + 1)]]
    yield "free in the first", [ask(cu.cuMemFree(a)), driver_knows(a), on(second, driver_knows, a)]
    b = on(first, fresh)
    ctypes.memset(b, 5, 4)
    yield "destroy the other context", [ask(cu.cuCtxDestroy(second)), driver_knows(b), kernel_read(b), host_byte(b)]


@question("memory registered in the context of one device belongs to it, in parts and on both devices")
def registered():
    first, second = two_contexts()
    a = pages(4 * SMALL)
    half = a + 2 * SMALL
    yield "register two halves in two contexts", [
        ask(cu.cuMemHostRegister(a, 2 * SMALL, 0)), on(second, lambda: ask(cu.cuMemHostRegister(half, 2 * SMALL, 0)))]
    yield "whose each is", [ordinal(a), ordinal(half)]
    yield "a kernel of each, on each", [kernel_read(a), kernel_read(half), on(second, kernel_read, a), on(second, kernel_read, half)]
    yield "a copy over both", [ask(cu.cuMemcpyHtoD(on(first, lambda: int(must(cu.cuMemAlloc(4 * SMALL)))), a,
                                                   4 * SMALL))]
    yield "flags, forward", [outcome(cu.cuMemHostGetFlags(half)),
                             outcome(cu.cuMemHostGetDevicePointer(half, 0), as_=lambda p: where(p, start=a))]
    yield "destroy the second's context", [ask(cu.cuCtxDestroy(second)), driver_knows(a), driver_knows(half)]
    yield "register its half here", [ask(cu.cuMemHostRegister(half, 2 * SMALL, 0)), kernel_read(half)]


@question("a pool of one device gives access to the other, before and after its memory is taken")
def pools():
    first, second = two_contexts()
    props = cu.CUmemPoolProps()
    props.allocType = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    props.location = location(ordinal=1)
    pool = must(cu.cuMemPoolCreate(props))
    take_block = lambda stream=0: int(must(cu.cuMemAllocFromPoolAsync(4096, pool, stream)))
    told_of = lambda: [outcome(cu.cuMemPoolGetAccess(pool, location(ordinal=ordinal))) for ordinal in (0, 1)]
    yield "made with a context of 0 current", told_of()
    a = take_block()
    must(cu.cuStreamSynchronize(0))
    yield "where its memory is", ordinal(a)
    yield "copies in either", [copy_code_at(a), on(second, copy_code_at, a)]
    yield "a kernel of 1", on(second, lambda: kernel_read(a))
    yield "a kernel of 0", lambda: kernel_read(a)
    yield "access for 0 to read", [ask(cu.cuMemPoolSetAccess(pool, [access("read")], 1)), told_of()]
    everyone = [access("read and write", ordinal=ordinal) for ordinal in (0, 1)]
    yield "access for both in one call", [ask(cu.cuMemPoolSetAccess(pool, everyone, 2)), told_of()]
    yield "a kernel of 0 then", lambda: [kernel_read(a), kernel_write(a, 4), on(second, copied_bytes, a, 1)]
    yield "memory taken then", lambda: kernel_read(take_block())
    yield "the current pool of 1", [ask(cu.cuDeviceSetMemPool(1, pool)), ask(cu.cuDeviceSetMemPool(0, pool)),
                                   on(second, lambda: int(must(cu.cuDeviceGetMemPool(1))) == int(pool))]
    yield "what 1 takes then is reached by 0", lambda: kernel_read(on(second, lambda: int(must(cu.cuMemAllocAsync(64, 0)))))
    yield "freed in 0, the pool destroyed", [ask(cu.cuMemFreeAsync(a, 0)), ask(cu.cuMemPoolDestroy(pool)),
                                             int(must(cu.cuDeviceGetMemPool(1))) == int(
        must(cu.cuDeviceGetDefaultMemPool(1)))]


@question("physical memory of either device is made, sized and counted with any context, or none")
def physical():
    flags = cu.CUmemAllocationGranularity_flags
    yield "granularities", [outcome(cu.cuMemGetAllocationGranularity(properties(ordinal=ordinal), flags(kind)))
                            for ordinal in (0, 1, 2) for kind in (0, 1)]
    first, second = two_contexts()
    yield "created here for", [outcome(cu.cuMemCreate(LARGE, properties(ordinal=ordinal), 0), as_=lambda handle: "given")
                               for ordinal in (0, 1, 2, -1)]
    must(cu.cuCtxPopCurrent())
    a = mapped_on(1)
    yield "mapped without a context", [ordinal(a.address), outcome(cu.cuMemGetAccess(location(ordinal=1), a.address))]
    yield "copied without one", copy_code_at(a.address)
    with using(second):
        yield "used with one", [kernel_read(a.address), kernel_write(a.address), ask(cu.cuMemUnmap(a.address, LARGE)),
                                ask(cu.cuMemRelease(a.handle))]
    must(cu.cuCtxPushCurrent(first))
    found_there = must(cu.cuMemGetAllocationPropertiesFromHandle(create(ordinal=1)))
    yield "properties", [int(found_there.location.type), int(found_there.location.id)]


@question("what a destroyed context's device had, the other device's calls no longer know",
          varies={f"its {thing}": "the driver reads what it has given back" for thing in ("event", "module")})
def gone():
    first, second = two_contexts()
    a, pinned, stream, event, module = on(second, lambda: [
        block_on(second, size=3 << 20), make("pinned").address, must(cu.cuStreamCreate(1)), must(cu.cuEventCreate(0)),
        kernels.module()])
    own = block_on(first)
    yield "destroy", ask(cu.cuCtxDestroy(second))
    kernels.forget()    # so that nobody asks the context that is gone whether kernels failed in it
    yield "memory", [driver_knows(a), driver_knows(pinned), copy_code_at(a), ask(cu.cuMemcpyDtoD(own, a, 4)), ask(cu.cuMemsetD8(a, 1, 4))]
    yield "a peer copy", lambda: ask(cu.cuMemcpyPeer(own, first, a, second, 4))
    yield "its stream", lambda: ask(cu.cuStreamQuery(stream))
    yield "its event", lambda: ask(cu.cuEventQuery(event))
    yield "its module", lambda: ask(cu.cuModuleGetFunction(module, b"poke"))
    next_context = new_context(ordinal=1)
    yield "a new one of the device", [outcome(cu.cuCtxGetDevice()), kernel_read(block_on(next_context)), ask(cu.cuCtxDestroy(next_context))]


@question("a context of each device is made four times over, and each has memory of its own")
def many_contexts():
    contexts = [new_context(ordinal=n % 2) for n in range(8)]
    blocks = [block_on(context, n + 1) for n, context in enumerate(contexts)]
    yield "ordinals", [ordinal(a) for a in blocks]
    yield "each its own content", len({on(contexts[0], copied_bytes, a) for a in blocks})
    yield "copied round", [ask(cu.cuMemcpyDtoD(blocks[(n + 1) % 8], a, 16)) for n, a in enumerate(blocks)]
    must(cu.cuCtxSynchronize())
    yield "content then", [on(context, lambda: ask(cu.cuCtxSynchronize()))
                           for context in contexts] and len({copied_bytes(a) for a in blocks})
    yield "kernels of the same device reach", on(contexts[2], lambda: [kernel_read(blocks[0]), kernel_read(blocks[6])])
    yield "one of each device is destroyed", [ask(cu.cuCtxDestroy(contexts[n]))
                                              for n in (2, 5)] + [driver_knows(a) == "SUCCESS" for a in blocks]
