"""What kernels reach on the other device: by kind of memory, by rights, by handles of other processes."""

import numpy as np
from cuda.bindings import driver as cu

from ...asking import two_device_question as question
from ...helpers import kernels, shared_pools
from ...helpers.between import fill, kernel_byte, look, number, take
from ...helpers.calls import ask, must, new_context, outcome, read, using
from ...helpers.kernels import i32
from ...helpers.memory_kinds import LARGE, access, location, make
from ...helpers.peers import (
    KINDS,
    copied_bytes,
    copy_code_at,
    disable,
    enable,
    kernel_read,
    kernel_write,
    make_on,
    mapped_on,
    on,
    two_contexts,
)
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ...helpers.processes import OtherProcess
from ...helpers.shareable import close_memory, create_physical, descriptor, import_in, ipc_handle, map_memory, open_memory


@question("a kernel does not reach the other device's memory unasked")
def without():
    first, second = two_contexts()
    for kind in KINDS:
        yield f"{kind}: read", lambda: kernel_read(make_on(second, kind).address)
    yield "device: write", lambda: kernel_write(make_on(second, "device").address)


@question("with peer access a kernel reaches what was allocated, and neither virtual memory nor the kernel heap")
def covered():
    first, second = two_contexts()
    addresses = {kind: make_on(second, kind).address for kind in KINDS if kind != "kernel heap"}
    enable(second)
    for kind in KINDS:
        if kind in addresses:
            yield f"{kind}, made before: read", lambda: kernel_read(addresses[kind])
        yield f"{kind}, made after: read", lambda: kernel_read(make_on(second, kind).address)
    for kind in ("device", "managed", "pinned", "module variable"):
        yield f"{kind}: write", lambda: kernel_write(make_on(second, kind).address)
    with using(second):
        pitched = int(must(cu.cuMemAllocPitch(100, 10, 4))[0])
    yield "pitched: read", lambda: kernel_read(pitched)


@question("what a peer's kernel writes is what the owner reads")
def content():
    first, second = two_contexts()
    a = make_on(second, "device").address
    enable(second)
    yield "fill", ask(kernels.run("fill", a, i32(0x20), i32(64)))
    yield "the owner's copy", on(second, lambda: copied_bytes(a, 8))
    counter = np.zeros(1, np.int32)
    must(cu.cuMemsetD8(a, 0, 64))
    for context in (first, second):
        with using(context):
            must(kernels.run("count_threads", a, grid=4, block=64))
    must(cu.cuMemcpyDtoH(counter, a, 4))
    yield "atomics of both", int(counter[0])


@question("virtual memory is reached by the devices that were given access, peers or not")
def virtual_memory():
    two_contexts()
    for ordinal_of_memory in (0, 1):
        for rights in ({}, {0: "read and write"}, {1: "read and write"}, {0: "read and write", 1: "read and write"}, {0: "read and write", 1: "read"},
                       {0: "read", 1: "read and write"}, {0: "none", 1: "read and write"}):
            label = f"on {ordinal_of_memory}, {', '.join(f'{who}: {right}' for who, right in rights.items()) or 'nobody'}"
            a = mapped_on(ordinal_of_memory, rights).address
            yield f"{label}: told", [outcome(cu.cuMemGetAccess(location(ordinal=ordinal), a)) for ordinal in (0, 1)]
            yield f"{label}: copy in 0", copy_code_at(a)
            yield f"{label}: read in 0", lambda: kernel_read(a)
            yield f"{label}: write in 0", lambda: kernel_write(a)


@question("access to virtual memory is given to two devices at once, and taken from one")
def set_access_of_two():
    two_contexts()
    a = mapped_on(1, {}).address
    asked_for = [access("read and write", ordinal=0), access("read and write", ordinal=1)]
    told_of = lambda: [outcome(cu.cuMemGetAccess(location(ordinal=ordinal), a)) for ordinal in (0, 1)]
    yield "both", [ask(cu.cuMemSetAccess(a, LARGE, asked_for, 2)), told_of()]
    yield "0 reads", kernel_read(a)
    yield "taken from 0", [ask(cu.cuMemSetAccess(a, LARGE, [access("none", ordinal=0)], 1)), told_of()]
    yield "twice the same device", [ask(cu.cuMemSetAccess(a, LARGE, [access("read", ordinal=0), access("read and write", ordinal=0)], 2)), told_of()]
    yield "a device that is not there", [ask(cu.cuMemSetAccess(a, LARGE, [access("read", ordinal=0), access("read", ordinal=2)], 2)), told_of()]
    yield "the host", [ask(cu.cuMemSetAccess(a, LARGE, [access("read and write", "host")], 1)), told_of()]


@question("a pool's memory is reached by the devices that the pool gives access to")
def pools():
    first, second = two_contexts()
    pool = must(cu.cuDeviceGetDefaultMemPool(1))
    yield "before", [outcome(cu.cuMemPoolGetAccess(pool, location(ordinal=ordinal))) for ordinal in (0, 1)]
    with using(second):
        a = int(must(cu.cuMemAllocFromPoolAsync(4096, pool, 0)))
        must(cu.cuStreamSynchronize(0))
    yield "0 reads without", lambda: kernel_read(a)
    for rights in ("read", "read and write"):
        yield f"{rights}: set", [ask(cu.cuMemPoolSetAccess(pool, [access(rights)], 1)), outcome(cu.cuMemPoolGetAccess(pool, location()))]
    yield "0 reads what was allocated before", kernel_read(a)
    yield "0 writes", kernel_write(a)
    yield "its owner's access taken", ask(cu.cuMemPoolSetAccess(pool, [access("none", ordinal=1)], 1))
    yield "taken from 0", [ask(cu.cuMemPoolSetAccess(pool, [access("none")], 1)), outcome(cu.cuMemPoolGetAccess(pool, location()))]
    yield "0 reads then", lambda: kernel_read(a)
    yield "a device that is not there", ask(cu.cuMemPoolSetAccess(pool, [access("read", ordinal=2)], 1))


@question("memory is opened by its IPC handle on another device of another process, whose kernels then reach it", processes=True)
def opened_across():
    take("a")
    process = OtherProcess(1)
    yield "open", process.ask(open_memory, "b", ipc_handle("a"))
    yield "there", process.ask(across, "b")
    yield "close", process.ask(close_memory, "b")
    yield "enable between the contexts then", process.ask(enable_to_zero)


def across(label):
    ordinal = get_attribute(ATTRIBUTES["DEVICE_ORDINAL"], number(label))[1] & 0xFFFFFFFF
    return [ordinal, look(label), kernel_byte(label), kernel_write(number(label))]


def enable_to_zero():
    own = must(cu.cuCtxGetCurrent())
    zero = new_context(ordinal=0)
    must(cu.cuCtxSetCurrent(own))
    return [enable(zero), disable(zero)]


@question("physical memory and pools of one device are imported by a process that works on the other", processes=True)
def imported_across():
    create_physical("h"), map_memory("a", "h")
    process = OtherProcess(1)
    yield "physical: import", import_in(process, "k", descriptor("h"))
    yield "physical: map, access for device 0", process.ask(map_memory, "b", "k")
    yield "physical: access for device 1", process.ask(access_for, "b", 1)
    yield "physical: there", [process.ask(fill, "b", 0x30), look("a"), process.ask(kernel_byte, "b")]
    shared_pools.pool("o"), shared_pools.take_from_pool("x", "o")
    yield "pool: import", shared_pools.import_pool_in(process, "p", shared_pools.pool_descriptor("o"))
    yield "pool: pointer", process.ask(shared_pools.import_pointer, "y", "p", shared_pools.pointer_data("x"))
    yield "pool: access for device 1", process.ask(pool_access_for, "p", 1)
    yield "pool: there", [process.ask(look, "y"), process.ask(fill, "y", 0x50), look("x")]


def access_for(label, ordinal):
    return ask(cu.cuMemSetAccess(number(label), LARGE, [access("read and write", ordinal=ordinal)], 1))


def pool_access_for(label, ordinal):
    return [ask(cu.cuMemPoolSetAccess(number(label), [access("read and write", ordinal=ordinal)], 1)),
            outcome(cu.cuMemPoolGetAccess(number(label), location(ordinal=ordinal)))]


@question("freed memory of a peer is not reached")
def freed():
    first, second = two_contexts()
    enable(second)
    block = make_on(second, "device, 3 MiB")
    yield "before", kernel_read(block.address)
    yield "free, from the peer's side", ask(cu.cuMemFree(block.address))
    yield "after", lambda: kernel_read(block.address)
    yield "read by a copy", copy_code_at(block.address)
    b = make("device")
    yield "own memory then", [kernel_read(b.address), len(read(b.address, 4))]
