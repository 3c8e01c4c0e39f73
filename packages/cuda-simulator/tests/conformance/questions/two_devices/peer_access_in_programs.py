"""Peer access as programs use it: who enables what in which order, what ends it, what it does not cover."""
import ctypes
import threading

from cuda.bindings import driver as cu

from ...asking import two_device_question as question
from ...helpers import kernels
from ...helpers.calls import ask, must, new_context, outcome, raw, using
from ...helpers.kernels import i32
from ...helpers.memory_kinds import LARGE, access, make
from ...helpers.peers import (
    block_on,
    copied_bytes,
    copy_code_at,
    disable,
    enable,
    kernel_read,
    kernel_write,
    mapped_on,
    on,
    two_contexts,
    without_context,
)
from ...helpers.pointer_attributes import driver_knows


@question("a program asks, enables, computes on both devices and copies the result home")
def whole_program():
    yield "may they", [outcome(cu.cuDeviceCanAccessPeer(0, 1)), outcome(cu.cuDeviceCanAccessPeer(1, 0))]
    first, second = two_contexts()
    yield "enable both ways", [enable(second), on(second, enable, first)]
    a, b = block_on(first, 1, 3 << 20), block_on(second, 2, 3 << 20)
    yield "each fills its half of the other's", [ask(kernels.run("fill", b, i32(16), i32(8))),
                                                 on(second, lambda: ask(kernels.run("fill", a + 8, i32(64), i32(8))))]
    yield "each copies the other's to itself", [ask(kernels.run("copy", a + 32, b, i32(16))),
                                                on(second, lambda: ask(kernels.run("copy", b + 32, a, i32(16))))]
    yield "brought home", [copied_bytes(a, 48), on(second, copied_bytes, b, 48)]
    yield "brought home by the other context", [copied_bytes(b, 16), on(second, copied_bytes, a, 16)]
    yield "disable both", [disable(second), on(second, disable, first)]
    yield "copies all the same", [ask(cu.cuMemcpyDtoD(a, b, 8)), ask(cu.cuCtxSynchronize()), copied_bytes(a, 8)]


@question("two contexts of each device: who may reach whom after some were enabled")
def four_contexts():
    zeros, ones = [new_context() for _ in range(2)], [new_context(ordinal=1) for _ in range(2)]
    blocks = [block_on(context) for context in ones]
    yield "the first to the first, the second to the second", [on(zeros[n], enable, ones[n]) for n in (0, 1)]
    for n in (0, 1):
        yield f"the {n}th reaches its own peer's", on(zeros[n], kernel_read, blocks[n])
        yield f"the {n}th reaches the other's", lambda: on(zeros[n], kernel_read, blocks[1 - n])
    yield "the first to both", on(zeros[0], enable, ones[1])
    yield "the first peer is destroyed", ask(cu.cuCtxDestroy(ones[0]))
    yield "the second's memory", lambda: [on(zeros[0], kernel_read, blocks[1]), on(zeros[1], kernel_read, blocks[1])]
    yield "disable what is gone", lambda: on(zeros[1], disable, ones[1])


@question("a device has no peer in a second context of its own")
def own_device():
    context, third = must(cu.cuCtxGetCurrent()), new_context()
    a = block_on(third)
    yield "reached without", on(context, kernel_read, a)
    yield "enable", [on(context, enable, third), on(third, enable, context), on(third, enable, third)]
    yield "disable", [on(context, disable, third), on(third, disable, third)]
    yield "reached all the same", [on(context, kernel_read, a), on(context, kernel_write, a, 3), on(third, copied_bytes, a, 1)]


@question("a thread without the context cannot enable access, one with it can, for all threads")
def threads():
    first, second = two_contexts()
    a, answers = block_on(second), []

    def work(context):
        if context:
            must(cu.cuCtxSetCurrent(context))
        answers.append([enable(second), disable(second) if not context else None])
    for context in (None, first):
        thread = threading.Thread(target=work, args=(context,))
        thread.start()
        thread.join()
    yield "in threads", answers
    yield "here", [kernel_read(a), enable(second), disable(second)]
    yield "then", lambda: kernel_read(a)


@question("one's own primary context is reset: its access is gone, and it may enable again")
def own_reset():
    first, second = must(cu.cuDevicePrimaryCtxRetain(0)), two_contexts()[1]
    a = block_on(second)
    must(cu.cuCtxSetCurrent(first))
    yield "enable, reach", [enable(second), kernel_read(a)]
    yield "reset", ask(cu.cuDevicePrimaryCtxReset(0))
    kernels.forget()
    context = must(cu.cuDevicePrimaryCtxRetain(0))
    must(cu.cuCtxSetCurrent(context))
    yield "enable again", [enable(second), enable(second)]
    yield "reach", lambda: kernel_read(a)
    yield "the peer", on(second, lambda: [kernel_read(a), copied_bytes(a)])


@question("enabling access changes nothing for memory that has rights of its own")
def rights_of_their_own():
    first, second = two_contexts()
    pool = must(cu.cuDeviceGetDefaultMemPool(1))
    virtual = mapped_on(1, {1: "read and write"}).address
    with using(second):
        block = int(must(cu.cuMemAllocFromPoolAsync(4096, pool, 0)))
        must(cu.cuStreamSynchronize(0))
    yield "enable", enable(second)
    yield "pool: a kernel", lambda: kernel_read(block)
    yield "virtual: a kernel", lambda: kernel_read(virtual)
    yield "both: copies", [copy_code_at(block), copy_code_at(virtual)]
    yield "the pool gives access, the mapping too", [ask(cu.cuMemPoolSetAccess(pool, [access("read and write")], 1)),
                                                     ask(cu.cuMemSetAccess(virtual, LARGE, [access("read")], 1))]
    yield "a kernel of each", lambda: [kernel_read(block), kernel_read(virtual), kernel_write(block)]
    yield "access between contexts is disabled", disable(second)
    yield "a kernel of each then", lambda: [kernel_read(block), kernel_read(virtual)]
    yield "device memory", lambda: kernel_read(block_on(second))


@question("a pointer into the peer's memory counts from its start to its last byte")
def edges():
    first, second = two_contexts()
    a = block_on(second, size=3 << 20)
    enable(second)
    yield "the last byte", [kernel_read(a + (3 << 20) - 1), kernel_write(a + (3 << 20) - 1, 9),
                            on(second, copied_bytes, a + (3 << 20) - 1, 1)]
    yield "the last copied here", [copied_bytes(a + (3 << 20) - 4), copy_code_at(a + (3 << 20) - 4, 5)]
    yield "memset up to the end", [ask(cu.cuMemsetD8(a + (3 << 20) - 16, 3, 16)),
                                   ask(cu.cuMemsetD8(a + (3 << 20) - 16, 3, 17)), ask(cu.cuCtxSynchronize())]
    yield "the whole range", outcome(cu.cuMemGetAddressRange(a + 5),
                                     as_=lambda value: int(value) - a if int(value) >= a else int(value))


@question("memory of the peer is freed while access is enabled, and by whom it is freed does not matter")
def freed_by():
    first, second = two_contexts()
    enable(second)
    for label, context in (("owner", second), ("peer", first)):
        a = block_on(second, size=5 << 20)
        yield f"by the {label}", [kernel_read(a), on(context, lambda: ask(cu.cuMemFree(a))), driver_knows(a), copy_code_at(a),
                                  on(second, copy_code_at, a)]
        yield f"by the {label}, again", [ask(cu.cuMemFree(a)), on(second, lambda: ask(cu.cuMemFree(a)))]
    a = on(second, lambda: make("device").address)
    yield "without a context", without_context(lambda: [ask(cu.cuMemFree(a)), enable(second), disable(second)])


@question("a context that is destroyed while it is somebody's peer and has a peer itself")
def chain_of_peers():
    first, second = two_contexts()
    third = new_context()
    must(cu.cuCtxSetCurrent(first))
    yield "enable", [on(first, enable, second), on(second, enable, third), on(second, enable, first)]
    a, c = block_on(first), block_on(third)
    yield "the second reaches both of device 0", [on(second, kernel_read, a), on(second, kernel_read, c)]
    yield "the third is destroyed", [ask(cu.cuCtxDestroy(third)), driver_knows(c), on(second, kernel_read, a)]
    yield "the second is destroyed", [ask(cu.cuCtxDestroy(second)), kernel_read(a)]
    kernels.forget()
    next_context = new_context(ordinal=1)
    must(cu.cuCtxSetCurrent(first))
    yield "a new one instead", [on(next_context, enable, first), on(next_context, kernel_read, a), enable(next_context)]


@question("attributes of a pair are asked with wrong numbers, and in either order")
def pair_attributes():
    out = ctypes.c_int(-7)
    for ordinal, peer in ((0, 1), (1, 0)):
        yield f"{ordinal}, {peer}", [[raw("cuDeviceGetP2PAttribute", ctypes.byref(out), kind, ordinal, peer), out.value]
                                     for kind in (2, 3, 4)]
    yield "a device that is not there", [raw("cuDeviceGetP2PAttribute", ctypes.byref(out), 2, 0, 5),
                                         raw("cuDeviceCanAccessPeer", ctypes.byref(out), 5, 0),
                                         raw("cuDeviceCanAccessPeer", ctypes.byref(out), 0, ctypes.c_int(-1))]
    yield "enable with flags", [ask(cu.cuCtxEnablePeerAccess(two_contexts()[1], flags)) for flags in (2, 1 << 31)]
