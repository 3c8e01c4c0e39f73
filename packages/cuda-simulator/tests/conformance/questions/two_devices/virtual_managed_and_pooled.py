"""Virtual, managed and pooled memory of two devices in one process."""
import ctypes

import numpy as np
from cuda.bindings import driver as cu

from ...asking import two_device_question as question
from ...helpers import kernels
from ...helpers.calls import ask, must, outcome, pattern, read, using
from ...helpers.kernels import i32
from ...helpers.managed_memory import PAGE, advise, facts, fresh, host_byte, prefetch
from ...helpers.memory_kinds import LARGE, access, create, location
from ...helpers.peers import copied_bytes, kernel_read, kernel_write, mapped_on, on, two_contexts
from ...helpers.pointer_attributes import ATTRIBUTES, driver_knows, get_attribute


@question("virtual memory on the other device needs no context of it")
def virtual_memory():
    a = mapped_on(1).address
    yield "access", [outcome(cu.cuMemGetAccess(location(ordinal=ordinal), a)) for ordinal in (0, 1)]
    yield "copies in a context of device 0", [ask(cu.cuMemcpyHtoD(a, pattern(16), 16)), copied_bytes(a)]
    b = mapped_on(1, {0: "read and write"}).address
    yield "with access for 0 alone: copies", [ask(cu.cuMemcpyHtoD(b, pattern(16), 16)), copied_bytes(b)]
    yield "with access for 0 alone: kernel", [kernel_write(b, 8), copied_bytes(b)]
    for attribute in ("MEMORY_TYPE", "DEVICE_ORDINAL", "DEVICE_POINTER", "ACCESS_FLAGS", "MAPPED"):
        code, value, _ = get_attribute(ATTRIBUTES[attribute], b)
        yield attribute, code or (value == b if attribute == "DEVICE_POINTER" else value & 0xFF)
    first, second = two_contexts()
    yield "a kernel of 1 in what 0 alone may use", lambda: on(second, kernel_read, b)
    yield "a copy in a context of 1", on(second, copied_bytes, b)
    yield "one range of both devices", side_by_side()


def side_by_side():
    """Physical memory of two devices, mapped side by side, copied in one go."""
    base = int(must(cu.cuMemAddressReserve(2 * LARGE, 0, 0, 0)))
    for ordinal in (0, 1):
        must(cu.cuMemMap(base + ordinal * LARGE, LARGE, 0, create(ordinal=ordinal), 0))
    everyone = [access("read and write", ordinal=ordinal) for ordinal in (0, 1)]
    codes = [ask(cu.cuMemSetAccess(base, 2 * LARGE, everyone, 2)), ask(cu.cuMemcpyHtoD(base + LARGE - 8, pattern(16), 16)), ask(cu.cuCtxSynchronize())]
    return [*codes, read(base + LARGE - 8, 16) == pattern(16), ask(kernels.run("fill", base + LARGE - 4, i32(1), i32(8))), copied_bytes(base + LARGE - 4, 8)]


@question("managed memory is used on both devices, and by the host, under one address")
def managed():
    first, second = two_contexts()
    a = fresh()
    yield "the host, 0, 1, the host", [ctypes.memset(a, 0x10, 16) == a, ask(kernels.run("fill", a, i32(0x20), i32(4))),
                                      on(second, lambda: ask(kernels.run("fill", a + 2, i32(0x40), i32(4)))), ctypes.string_at(a, 8).hex()]
    yield "read in 0 and 1", [kernel_read(a), on(second, kernel_read, a), host_byte(a)]
    yield "counted by both", both_count(first, second)
    b = on(second, fresh)
    yield "made in 1: used in 0", [ask(kernels.run("fill", b, i32(0x20), i32(4))), host_byte(b)]
    yield "made in 1: its ordinal", get_attribute(ATTRIBUTES["DEVICE_ORDINAL"], b)[1] & 0xFF
    must(cu.cuCtxDestroy(second))
    yield "made in 1, which is destroyed", driver_knows(b)
    yield "made in 0, then", [kernel_read(a), host_byte(a)]


def both_count(first, second):
    cell = fresh()
    ctypes.memset(cell, 0, 8)
    for context in (first, second, first):
        with using(context):
            must(kernels.run("count_threads", cell, grid=2, block=32))
    return int(np.frombuffer(ctypes.string_at(cell, 4), np.int32)[0])


@question("managed memory is advised and prefetched to either device from either context")
def managed_places():
    first, second = two_contexts()
    for label, context in (("0", first), ("1", second)):
        for place in ("device", "device 1", "device 7"):
            a = fresh()
            yield f"in {label}, to {place}", [on(context, lambda: [prefetch(a, PAGE, place), ask(cu.cuCtxSynchronize())]), facts(a, PAGE)]
            b = fresh()
            yield f"in {label}, preferred {place}", [on(context, advise, b, PAGE, "SET_PREFERRED_LOCATION", place), facts(b, PAGE)]
            c = fresh()
            yield f"in {label}, accessed by {place}", [on(context, advise, c, PAGE, "SET_ACCESSED_BY", place), facts(c, PAGE)]
    d = fresh()
    yield "accessed by both", [advise(d, PAGE, "SET_ACCESSED_BY", "device"), advise(d, PAGE, "SET_ACCESSED_BY", "device 1"),
                               advise(d, PAGE, "SET_ACCESSED_BY", "host"), facts(d, PAGE)]
    yield "no longer by 0", [advise(d, PAGE, "UNSET_ACCESSED_BY", "device"), facts(d, PAGE)]
    stream = on(second, lambda: must(cu.cuStreamCreate(1)))
    yield "in a stream of 1, to 0", [prefetch(d, PAGE, "device", 0, stream), ask(cu.cuStreamSynchronize(stream)), facts(d, PAGE)]
    yield "attached to a stream of 1", [ask(cu.cuStreamAttachMemAsync(stream, d, 0, 4)), ask(cu.cuStreamSynchronize(stream)),
                                        kernel_read(d)]


@question("each device has its pools")
def pools():
    first, second = two_contexts()
    defaults = [int(must(cu.cuDeviceGetDefaultMemPool(ordinal))) for ordinal in (0, 1)]
    yield "apart", defaults[0] != defaults[1]
    yield "current", [int(must(cu.cuDeviceGetMemPool(ordinal))) == defaults[ordinal] for ordinal in (0, 1)]
    stream = must(cu.cuStreamCreate(1))
    result = cu.cuMemAllocFromPoolAsync(4096, defaults[1], stream)
    yield "from the pool of 1 in a stream of 0", ask(result)
    if not int(result[0]):
        a = int(result[1])
        must(cu.cuStreamSynchronize(stream))
        yield "where it is", get_attribute(ATTRIBUTES["DEVICE_ORDINAL"], a)[1] & 0xFF
        yield "copied in 0", [ask(cu.cuMemcpyHtoD(a, pattern(16), 16)), copied_bytes(a)]
        yield "kernel of 0", lambda: kernel_read(a)
        yield "kernel of 1", on(second, kernel_read, a)
        yield "freed in a stream of 1", [on(second, lambda: ask(cu.cuMemFreeAsync(a, must(cu.cuStreamCreate(1))))), ask(cu.cuStreamSynchronize(stream))]
    yield "what 1 allocates", on(second, lambda: get_attribute(ATTRIBUTES["DEVICE_ORDINAL"], int(must(cu.cuMemAllocAsync(64, 0))))[1] & 0xFF)
    yield "pools are of places", [int(must(cu.cuMemGetDefaultMemPool(location(ordinal=ordinal), cu.CUmemAllocationType(1)))) == defaults[ordinal] for ordinal in (0, 1)]
    yield "the pool of 1 for device 0", [ask(cu.cuDeviceSetMemPool(0, defaults[1])), int(must(cu.cuDeviceGetMemPool(0))) == defaults[0]]
