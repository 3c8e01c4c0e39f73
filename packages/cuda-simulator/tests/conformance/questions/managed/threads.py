"""Managed memory in programs of several threads and contexts: who may use what, what ends with a context."""
import ctypes
import threading

import numpy as np
from cuda.bindings import driver as cu

from ...asking import DRIVER, question
from ...helpers import kernels
from ...helpers.calls import ask, must, new_context, outcome, read, using, where
from ...helpers.kernels import i32
from ...helpers.managed_calls import attach
from ...helpers.managed_memory import MIB, PAGE, advise, facts, fresh, host_byte, host_write, prefetch, prefetch_and_wait, view
from ...helpers.memory_kinds import make
from ...helpers.pointer_attributes import driver_knows, int_attribute
from ...helpers.streams import stream
from ...helpers.threads_and_forks import in_child, in_thread
from ...helpers.turns import run


def together(*works):
    """What each work gives, all of them in threads at once that have this thread's context."""
    context, results = must(cu.cuCtxGetCurrent()), {}

    def whole(at, work):
        must(cu.cuCtxSetCurrent(context))
        results[at] = work()
    threads = [threading.Thread(target=whole, args=(at, work)) for at, work in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [results.get(at, "no answer") for at in range(len(works))]


@question("threads with a stream and a block each write and read their own at once")
def one_block_each():
    kernels.kernel("fill")

    def work(value):
        s, a = stream(), fresh(flags=2)
        codes = [attach(s, a), ask(kernels.launch("fill", a, i32(value), i32(3), stream=int(s))),
                 ask(cu.cuStreamSynchronize(s))]
        return [*codes, ctypes.string_at(a, 4).hex(), prefetch(a, PAGE, "device", 0, s), ask(cu.cuStreamSynchronize(s)),
                facts(a, PAGE),
                ask(cu.cuMemFree(a))]
    for label, answer in zip("abcd", together(*(lambda value=value: work(value) for value in (1, 0x20, 0x40, 0x60)))):
        yield f"thread {label}", answer


@question("threads write the bytes of one managed page that are theirs, and a kernel reads all")
def one_page():
    for flags in (1, 2):
        a, out = fresh(flags=flags), fresh()
        text = view(a, np.uint8, 400)

        def work(own, text=text):
            for at in range(own, 400, 4):
                text[at] = own + 1
        together(*(lambda own=own: work(own) for own in range(4)))
        yield f"allocated with {flags}", [int(text.sum()), ask(kernels.run("copy", out, a, i32(400))),
                                          ctypes.string_at(out, 6).hex()]
        yield f"allocated with {flags}: on the device", [prefetch_and_wait(a, PAGE),
                                                         together(*(lambda own=own: work(3 - own) for own in range(4))),
                                                         read(a, 5).hex()]


@question("threads allocate and free managed memory at once, and every block is its thread's own")
def many_threads():
    def work(value):
        bad = 0
        for round_ in range(10):
            blocks = [fresh(size) for size in (100, 5000, 64 << 10)]
            for a in blocks:
                host_write(a, value + round_, 100)
            bad += sum(set(ctypes.string_at(a, 100)) != {value + round_} for a in blocks)
            bad += sum(ask(cu.cuMemFree(a)) != "SUCCESS" for a in blocks)
        return bad
    yield "wrong ones", together(*(lambda value=value: work(value) for value in (1, 50, 100, 150)))
    yield "then", [ask(kernels.run("fill", a := fresh(), i32(1), i32(2))), host_byte(a + 1)]


@question("of three contexts on a stack the middle one ends, and its managed memory alone with it")
def middle_context():
    first = must(cu.cuCtxGetCurrent())
    blocks = [fresh()]
    second = new_context()
    blocks.append(fresh())
    third = new_context()
    blocks.append(fresh())
    for value, a in enumerate(blocks):
        host_write(a, 0x10 + value)
    yield "before", [driver_knows(a) for a in blocks]
    yield "ended", [ask(cu.cuCtxDestroy(second)), where(must(cu.cuCtxGetCurrent()), first=first, third=third)]
    yield "after", [[driver_knows(a) for a in blocks], host_byte(blocks[0]), host_byte(blocks[2])]
    yield "used in the third", [ask(kernels.run("fill", blocks[0], i32(1), i32(1))), host_byte(blocks[0]),
                                facts(blocks[1], PAGE)]
    yield "a copy from what is gone", [ask(cu.cuMemcpyDtoD(blocks[0], blocks[1], 4)), ask(cu.cuMemFree(blocks[1]))]


@question("the primary context's managed memory stays through every release but the last", needs=DRIVER)
def released():
    primary = must(cu.cuDevicePrimaryCtxRetain(0))
    must(cu.cuDevicePrimaryCtxRetain(0))
    must(cu.cuCtxSetCurrent(primary))
    a = fresh()
    host_write(a, 7)
    yield "once", [ask(cu.cuDevicePrimaryCtxRelease(0)), driver_knows(a), host_byte(a),
                   ask(kernels.run("fill", a + 1, i32(1), i32(1))), host_byte(a + 1)]
    yield "twice", [ask(cu.cuDevicePrimaryCtxRelease(0)), driver_knows(a), advise(a, PAGE, "SET_READ_MOSTLY"),
                    ask(cu.cuMemAllocManaged(PAGE, 1))]
    kernels.forget()
    must(cu.cuDevicePrimaryCtxRetain(0))
    yield "retained anew", [driver_knows(a), ask(cu.cuMemFree(a)), ask(b := cu.cuMemAllocManaged(PAGE, 1)),
                            host_byte(int(b[1] or 0)) if not int(b[0]) else None]
    must(cu.cuDevicePrimaryCtxRelease(0))
    must(cu.cuCtxSetCurrent(0))


@question("a context is pushed for one call with managed memory, and each finds the memory of the others")
def pushed():
    first, a = must(cu.cuCtxGetCurrent()), fresh()
    second = new_context()
    with using(first):
        b = fresh()
    c = fresh()
    for value, block in enumerate((a, b, c)):
        host_write(block, 0x10 + value)
    for label, context in (("first", first), ("second", second)):
        with using(context):
            yield label, [ask(cu.cuMemcpyDtoD(a + 64, c, 4)), ask(cu.cuMemcpyDtoD(c + 64, b, 4)),
                          ask(cu.cuCtxSynchronize()),
                          ctypes.string_at(a + 64, 5).hex(), ctypes.string_at(c + 64, 5).hex()]
            yield f"{label}: a kernel over two", [run("saxpy", i32(4), np.float32(1), a + 64, c + 64, block=4),
                                                  host_byte(c + 64)]
    yield "freed in the other", [ask(cu.cuMemFree(b)), ask(cu.cuMemFree(a))]
    with using(first):
        yield "and the other way", [ask(cu.cuMemFree(c)), int_attribute("IS_MANAGED", c)]


@question("a context's limits and flags that are set change nothing for managed memory")
def limits():
    a = fresh()
    host_write(a, 7)
    for label, call in {"stack": lambda: cu.cuCtxSetLimit(cu.CUlimit.CU_LIMIT_STACK_SIZE, 4096),
                        "heap": lambda: cu.cuCtxSetLimit(cu.CUlimit.CU_LIMIT_MALLOC_HEAP_SIZE, 16 * MIB),
                        "output": lambda: cu.cuCtxSetLimit(cu.CUlimit.CU_LIMIT_PRINTF_FIFO_SIZE, 2 * MIB),
                        "cache": lambda: cu.cuCtxResetPersistingL2Cache()}.items():
        yield label, [ask(call()), ask(kernels.run("fill", a + 1, i32(1), i32(2))), ctypes.string_at(a, 4).hex(),
                      facts(a, PAGE)]


@question("a process that forks goes on with its managed memory, and the child has none of CUDA's calls for it",
          alone=True)
def forked():
    a = fresh()
    host_write(a, 7)
    must(kernels.run("fill", a + 1, i32(1), i32(2)))
    for label, call in {"advise": lambda: advise(a, PAGE, "SET_READ_MOSTLY"),
                        "allocate": lambda: ask(cu.cuMemAllocManaged(PAGE, 1)),
                        "prefetch": lambda: prefetch(a, PAGE)}.items():
        yield f"child: {label}", in_child(call)
    yield "child: writes", in_child(lambda: [host_write(a, 9), host_byte(a)])
    yield "parent", [ctypes.string_at(a, 4).hex(), ask(kernels.run("fill", a, i32(3), i32(1))), host_byte(a),
                     facts(a, PAGE), ask(cu.cuMemFree(a))]


@question("a thread that ends leaves its managed memory, its streams and what was attached to them")
def ended_thread():
    context = must(cu.cuCtxGetCurrent())

    def work():
        must(cu.cuCtxSetCurrent(context))
        s, a = stream(), fresh()
        host_write(a, 7)
        return [attach(s, a), ask(cu.cuStreamSynchronize(s)), int(s), a]
    *codes, s, a = in_thread(work)
    yield "its codes", codes
    yield "its stream", [ask(cu.cuStreamQuery(s)), ask(kernels.launch("fill", a + 1, i32(1), i32(2), stream=s)),
                         ask(cu.cuStreamSynchronize(s)),
                         ctypes.string_at(a, 4).hex()]
    yield "copied on", [ask(cu.cuMemcpyDtoD(make("device").address, a, 4)), outcome(cu.cuMemGetAddressRange(a)[::2]),
                        ask(cu.cuStreamDestroy(s)),
                        ask(cu.cuMemFree(a))]
