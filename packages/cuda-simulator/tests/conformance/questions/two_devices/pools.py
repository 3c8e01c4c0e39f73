"""Pools of two devices: whose they are, who has access, what kernels and copies of either do with their memory."""

from cuda.bindings import driver as cu

from ...asking import two_device_question as question
from ...helpers import kernels
from ...helpers.calls import ask, must, outcome, using
from ...helpers.kernels import i32
from ...helpers.memory_kinds import access, location
from ...helpers.peers import copied_bytes, copy_code_at, enable, kernel_read, kernel_write, on, ordinal, pooled, two_contexts
from ...helpers.pointer_attributes import driver_knows
from ...helpers.shared_pools import ATTRIBUTES as POOL_ATTRIBUTES

EVERYONE = [access("read and write", ordinal=ordinal) for ordinal in (0, 1)]


def create_pool(ordinal, handle_type=0):
    props = cu.CUmemPoolProps()
    props.allocType = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    props.handleTypes, props.location = cu.CUmemAllocationHandleType(handle_type), location(ordinal=ordinal)
    return must(cu.cuMemPoolCreate(props))


def rights(pool):
    return [outcome(cu.cuMemPoolGetAccess(pool, location(ordinal=ordinal))) for ordinal in (0, 1)]


@question("lists of access to a pool: the owner's own, twice, wrong places, nobody")
def lists():
    two_contexts()
    for label, entries in {"the other to read": [access("read")], "the other to write": [access("read and write")],
                           "none for the owner": [access("none", ordinal=1)],
                           "the owner to read": [access("read", ordinal=1)],
                           "the owner as it is": [access("read and write", ordinal=1)],
                           "the other twice": [access("read"), access("read and write")], "both": EVERYONE,
                           "none for the other": [access("none")],
                           "device 2": [access("read", ordinal=2)],
                           "device 2 behind the other": [access("read"), access("read", ordinal=2)],
                           "the host": [access("read and write", "host")],
                           "a node": [access("read and write", "host numa")], "nobody": []}.items():
        pool = create_pool(1)
        yield label, [ask(cu.cuMemPoolSetAccess(pool, entries, len(entries))), rights(pool)]
    pool = create_pool(1)
    yield "asked for places that are not there", [outcome(cu.cuMemPoolGetAccess(pool, location(place, number)))
                                                  for place, number in (("device", 2), ("device", -1), ("host", 0),
                                                                        ("host numa", 0))]


@question("copies between memory of the pools of two devices need no access, whoever copies")
def copies():
    first, second = two_contexts()
    a, b = pooled(create_pool(0), seed=2), on(second, pooled, create_pool(1), 4096, 0, 3)
    owner = lambda address: second if address in (b, b + 16) else first
    for label, context in (("0", first), ("1", second)):
        for verb, call in {"DtoD": lambda to, source: cu.cuMemcpyDtoD(to, source, 8), "unified": lambda to,
                           source: cu.cuMemcpy(to, source, 8),
                           "peer": lambda to, source: cu.cuMemcpyPeer(to, owner(to), source, owner(source), 8),
                           "DtoDAsync": lambda to, source: cu.cuMemcpyDtoDAsync(to, source, 8, 0)}.items():
            yield f"{verb} in {label}", lambda: [on(context, lambda: [ask(call(b + 16, a)), ask(cu.cuCtxSynchronize()),
                                                                      ask(call(a + 16, b)),
                                                                      ask(cu.cuCtxSynchronize())]),
                                                 copied_bytes(a + 16), on(second, copied_bytes, b + 16)]
    yield "memsets of the other's", lambda: [ask(cu.cuMemsetD8(b, 1, 4)), ask(cu.cuCtxSynchronize())]
    yield "over the end", [copy_code_at(b, 4097), ask(cu.cuMemcpyDtoD(a, b + 4096, 4))]


@question("a pool with access for both: kernels, copies and memsets of either, and its end")
def both_have_access():
    first, second = two_contexts()
    pool = create_pool(1)
    yield "access", [ask(cu.cuMemPoolSetAccess(pool, EVERYONE, 2)), rights(pool)]
    for label, context in (("0", first), ("1", second)):
        with using(context):
            a = pooled(pool, seed=4)
            yield f"taken with {label} current", [ordinal(a), kernel_read(a), kernel_write(a, 9), copied_bytes(a, 2),
                                                  ask(cu.cuMemsetD8(a, 3, 4)), ask(cu.cuCtxSynchronize())]
        other_context = second if context is first else first
        yield f"taken with {label} current: by the other", on(other_context,
                                                              lambda: [kernel_read(a), kernel_write(a, 7), copied_bytes(a, 1),
                                                                       ask(kernels.run("fill", a, i32(1), i32(16)))])
        yield f"taken with {label} current: freed by the other", on(other_context,
                                                                    lambda: [ask(cu.cuMemFreeAsync(a, 0)),
                                                                        ask(cu.cuStreamSynchronize(0)), driver_knows(a)])
    yield "destroyed", [ask(cu.cuMemPoolDestroy(pool))]


@question("a device's current pool may be one of its own alone")
def current():
    two_contexts()
    pools = [create_pool(0), create_pool(1)]
    for who in (0, 1):
        for n, pool in enumerate(pools):
            yield f"the pool of {n} for {who}", [ask(cu.cuDeviceSetMemPool(who, pool)),
                                                 [int(must(cu.cuDeviceGetMemPool(device))) == int(pools[device])
                                                  for device in (0, 1)]]
    yield "of place, of type", [ask(cu.cuMemSetMemPool(location(ordinal=device), cu.CUmemAllocationType(1), pools[1]))
                                for device in (0, 1)]
    yield "asked so", [int(must(cu.cuMemGetMemPool(location(ordinal=device),
                                                   cu.CUmemAllocationType(1)))) == int(pools[device]) for device in (0, 1)]
    yield "a device that is not there", [ask(cu.cuDeviceSetMemPool(2, pools[1])), ask(cu.cuDeviceGetMemPool(2)),
                                         ask(cu.cuDeviceGetDefaultMemPool(2)),
                                         ask(cu.cuMemGetMemPool(location(ordinal=2), cu.CUmemAllocationType(1)))]
    yield "no pool", lambda: ask(cu.cuDeviceSetMemPool(1, 0))


@question("what the other device's pool counts, is set to and gives back, with any context")
def attributes():
    first, second = two_contexts()
    pool = create_pool(1)
    a = on(second, pooled, pool, 1 << 20)
    for label, context in (("0", first), ("1", second)):
        yield f"in {label}: used", on(context, lambda: outcome(cu.cuMemPoolGetAttribute(pool,
            POOL_ATTRIBUTES["USED_MEM_CURRENT"])))
        yield f"in {label}: threshold", on(context, lambda: [ask(cu.cuMemPoolSetAttribute(pool,
            POOL_ATTRIBUTES["RELEASE_THRESHOLD"], cu.cuuint64_t(4096))),
                                                             outcome(cu.cuMemPoolGetAttribute(pool,
                                                                 POOL_ATTRIBUTES["RELEASE_THRESHOLD"]))])
        yield f"in {label}: trim", on(context, lambda: [ask(cu.cuMemPoolTrimTo(pool, 0)), copied_bytes(a)])
    must(cu.cuCtxPopCurrent())
    yield "without a context", [ask(cu.cuMemPoolTrimTo(pool, 0)), rights(pool),
                                ask(cu.cuMemPoolSetAccess(pool, EVERYONE, 2)),
                                ask(cu.cuMemAllocFromPoolAsync(64, pool, 0)), ask(cu.cuMemFreeAsync(a, 0))]
    must(cu.cuCtxPushCurrent(first))
    yield "freed", [ask(cu.cuMemFreeAsync(a, 0)), ask(cu.cuStreamSynchronize(0)),
                    outcome(cu.cuMemPoolGetAttribute(pool, POOL_ATTRIBUTES["USED_MEM_CURRENT"]))]


@question("memory is taken from either pool in streams of either device, and freed in streams of either")
def streams():
    first, second = two_contexts()
    pools = [create_pool(0), create_pool(1)]
    streams_ = [must(cu.cuStreamCreate(1)), on(second, lambda: must(cu.cuStreamCreate(1)))]
    for n, pool in enumerate(pools):
        for device, stream in enumerate(streams_):
            result = cu.cuMemAllocFromPoolAsync(4096, pool, stream)
            answers = [ask(result), ask(cu.cuStreamSynchronize(stream))]
            if not int(result[0]):
                a = int(result[1])
                answers += [ordinal(a), copy_code_at(a), on(second, copy_code_at, a), ask(cu.cuMemFreeAsync(a, streams_[1 - device])),
                            ask(cu.cuStreamSynchronize(streams_[1 - device]))]
            yield f"pool of {n}, stream of {device}", answers


@question("a pool's access is for memory that was taken before and after, and is not peer access")
def before_and_after():
    first, second = two_contexts()
    pool = create_pool(1)
    block_before = on(second, pooled, pool)
    yield "nobody", lambda: kernel_read(block_before)
    yield "given", ask(cu.cuMemPoolSetAccess(pool, [access("read and write")], 1))
    block_after = on(second, pooled, pool)
    yield "both", lambda: [kernel_read(block_before), kernel_read(block_after), kernel_write(block_before), kernel_write(block_after)]
    yield "other memory of the device", lambda: kernel_read(on(second, lambda: int(must(cu.cuMemAlloc(4096)))))
    yield "of its default pool", lambda: kernel_read(on(second, pooled, must(cu.cuDeviceGetDefaultMemPool(1))))
    yield "enabled as well", [enable(second), kernel_read(block_before), kernel_read(block_after)]


@question("a context of the pool's device goes: the pool stays for the other device")
def context_goes():
    first, second = two_contexts()
    pool = create_pool(1)
    must(cu.cuMemPoolSetAccess(pool, [access("read and write")], 1))
    a = on(second, pooled, pool)
    yield "destroy", ask(cu.cuCtxDestroy(second))
    kernels.forget()
    yield "its memory", [driver_knows(a), copy_code_at(a), ordinal(a)]
    yield "a kernel of 0", lambda: kernel_read(a)
    yield "taken with 0 current", lambda: [ordinal(pooled(pool)), rights(pool)]
    yield "freed", [ask(cu.cuMemFreeAsync(a, 0)), ask(cu.cuStreamSynchronize(0)), ask(cu.cuMemPoolDestroy(pool))]
