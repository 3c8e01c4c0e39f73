"""Programs that mix: managed variables, pools, threads and contexts, beside registered, mapped and virtual memory."""
import ctypes

import numpy as np
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, must, new_context, raw, read, using, where
from ...helpers.kernels import i32
from ...helpers.managed_calls import attach
from ...helpers.managed_memory import MIB, PAGE, advise, attribute, facts, fresh, host_byte, host_write, prefetch, prefetch_and_wait, view
from ...helpers.managed_pools import pool_block, pool_of
from ...helpers.managed_variables import load, start, variable
from ...helpers.memory_kinds import make
from ...helpers.pointer_attributes import int_attribute
from ...helpers.rectangles import rectangle
from ...helpers.streams import PER_THREAD, stream
from ...helpers.threads_and_forks import in_thread
from ...helpers.turns import run

SETTINGS = r"""
extern "C" {
__managed__ struct { int width; float scale; unsigned char *target; } settings = {4, 1.5f, 0};
__managed__ volatile int errors;
__managed__ double history[100] = {0.5};
__device__ int *errors_too;
__global__ void apply(int at) {
    if (at >= settings.width || !settings.target) { atomicAdd((int *)&errors, 1); return; }
    settings.target[at] = (unsigned char)(settings.scale * (at + 2));
    history[at + 1] = history[at] + settings.scale;
}
__global__ void keep() { errors_too = (int *)&errors; }
__global__ void through_the_other() { *errors_too += 100; }
}
"""


@question("settings in a managed variable say where a kernel writes, and its errors are counted in another")
def settings():
    module = load(SETTINGS)
    at, size = variable(module, "settings")
    errors, history = view(variable(module, "errors")[0], np.int32, 1), view(variable(module, "history")[0],
                                                                             np.float64, 100)
    yield "first", [size, view(at, np.int32, 1).tolist(), view(at + 4, np.float32, 1).tolist(), history[:2].tolist(),
                    int(errors[0])]
    yield "no target", [start(module, "apply", i32(1)), int(errors[0])]
    for kind in ("managed", "pinned", "mapped"):
        target = make(kind).address
        view(at + 8, np.uint64, 1)[0] = target
        yield kind, [start(module, "apply", i32(0)), start(module, "apply", i32(3)), start(module, "apply", i32(4)),
                     read(target, 1).hex(),
                     read(target + 3, 1).hex(), int(errors[0]), history[1:5:3].tolist()]
    yield "through a pointer that the module keeps", [start(module, "keep"), start(module, "through_the_other"),
                                                      int(errors[0])]
    yield "set by a memset", [ask(cu.cuMemsetD32(variable(module, "errors")[0], 3, 1)), ask(cu.cuCtxSynchronize()),
                              int(errors[0])]


@question("a managed variable is read by a stream's copy, set by a thread, and changed in another context")
def settings_elsewhere():
    module, context = load(SETTINGS), must(cu.cuCtxGetCurrent())
    at, _ = variable(module, "history")
    s, d = stream(), make("device").address
    yield "copied by a stream", [ask(cu.cuMemcpyDtoDAsync(d, at, 16, s)), ask(cu.cuStreamSynchronize(s)),
                                 read(d, 8).hex()]
    yield "set by a thread", [in_thread(lambda: [host_write(at, 0, 8), ask(cu.cuMemsetD8(at, 1, 8)),
                                                  ask(cu.cuCtxSetCurrent(context)),
                                                  ask(cu.cuMemsetD8(at + 8, 1, 8)), ask(cu.cuCtxSynchronize())]),
                              ctypes.string_at(at, 10).hex()]
    other_context = new_context()
    yield "another context", [ask(kernels.run("poke", at, i32(7))), host_byte(at),
                              ask(cu.cuModuleGetGlobal(module, b"history")),
                              ask(cu.cuCtxDestroy(other_context)), ask(cu.cuCtxSetCurrent(context)),
                              start(module, "apply", i32(9)), host_byte(at)]


@question("two blocks of a managed pool and two of an allocation change places by copies, and keep their kinds")
def change_places():
    pool = must(pool_of())
    p, q, a = pool_block(pool, MIB), pool_block(pool, MIB), fresh()
    host_write(p, 1)
    host_write(a, 2)
    yield "changed", [ask(cu.cuMemcpyDtoD(q, p, 64)), ask(cu.cuMemcpyDtoD(p, a, 64)), ask(cu.cuMemcpyDtoD(a, q, 64)),
                      ask(cu.cuCtxSynchronize()),
                      [host_byte(address) for address in (p, q, a)]]
    yield "types", [[int_attribute("MEMORY_TYPE", address), int_attribute("IS_MANAGED", address) & 0xFF,
                     int_attribute("DEVICE_ORDINAL", address)] for address in (p, a)]
    yield "ranges", [where(must(cu.cuMemGetAddressRange(address + 5))[0], start=address) for address in (p, q, a)]
    yield "sizes", [int(must(cu.cuMemGetAddressRange(address))[1]) for address in (p, a)]
    yield "rows over both", [ask(cu.cuMemcpy2D(rectangle(p, a, 8, 4, 64, 16))), ask(cu.cuCtxSynchronize()),
                             ctypes.string_at(a, 18).hex()]
    yield "freed", [ask(cu.cuMemFree(p)), ask(cu.cuMemFree(p)), ask(cu.cuMemFree(q)), ask(cu.cuMemPoolDestroy(pool)),
                    host_byte(a)]


@question("a thread without work of its own frees what its maker took, while the maker's stream is done")
def freed_by_a_thread():
    context, pool = must(cu.cuCtxGetCurrent()), must(pool_of("host"))
    blocks = {"managed": fresh(), "for the host": fresh(flags=2), "a pool's": pool_block(pool, PAGE)}
    for label, a in blocks.items():
        code = ask(kernels.run("fill", a, i32(3), i32(3)))
        yield label, [code, in_thread(lambda: [ask(cu.cuMemFree(a)), ask(cu.cuCtxSetCurrent(context)),
                                                ask(cu.cuMemFree(a)), ask(cu.cuMemFree(a))]),
                      int_attribute("MEMORY_TYPE", a)]


@question("the stream of each thread is another, and managed memory passes from one thread to the next after a wait")
def stream_of_each_thread():
    context, a = must(cu.cuCtxGetCurrent()), fresh()

    def work(value):
        must(cu.cuCtxSetCurrent(context))
        codes = [ask(cu.cuMemsetD8Async(a + value, value, 2, PER_THREAD)), prefetch(a, PAGE, "device", 0, PER_THREAD),
                 attach(PER_THREAD, a)]
        return codes, ask(cu.cuStreamSynchronize(PER_THREAD)), host_byte(a + value)
    for value in (1, 2, 3):
        yield f"thread {value}", list(in_thread(lambda: work(value)))
    yield "in the end", [ctypes.string_at(a, 6).hex(), facts(a, PAGE), ask(cu.cuMemFree(a))]


@question("one kernel adds up an array of each kind, which a copy in a batch of streams filled from managed memory")
def each_kind():
    a, out = fresh(), fresh()
    view(a, np.float32, 16)[:] = np.arange(16)
    for kind in ("registered, unaligned", "mapped, on the host", "stream-ordered",
                 "pinned, portable and write-combined"):
        block, s = make(kind), stream()
        code = [ask(cu.cuMemcpyAsync(block.address, a, 64, s)), ask(cu.cuStreamSynchronize(s))]
        yield kind, [code, run("saxpy", i32(16), np.float32(1), block.address, out, block=32),
                     view(out, np.float32, 16)[[1, 15]].tolist()]


@question("virtual memory is filled from managed memory and unmapped, and managed memory alone remains")
def mapped_beside():
    a, block = fresh(), make("mapped")
    host_write(a, 0x2C)
    yield "filled", [ask(cu.cuMemcpy(block.address, a, 64)), read(block.address + 60, 4).hex()]
    yield "calls for the other", [prefetch(block.address, PAGE), advise(block.address, PAGE, "SET_READ_MOSTLY"),
                                  attach(stream(), block.address),
                                  ask(cu.cuMemFree(block.address)), ask(cu.cuMemUnmap(a, 4 * MIB))]
    must(cu.cuCtxSynchronize())
    block.release()
    yield "unmapped", [ask(cu.cuMemcpy(a, a + PAGE, 8)), ask(cu.cuMemcpyDtoD(a, block.address, 8)),
                       int_attribute("IS_MANAGED", a) & 0xFF, host_byte(a + 8)]
    yield "types", [int_attribute("MEMORY_TYPE", a), int_attribute("MEMORY_TYPE", block.address)]


@question("three contexts write a byte each of one managed page, and the last to end leaves it to nobody")
def three_contexts():
    first_context = must(cu.cuCtxGetCurrent())
    contexts = []
    for _ in range(3):
        contexts.append(new_context())
    with using(contexts[0]):
        a = fresh()
    for at, context in enumerate(contexts):
        with using(context):
            yield f"context {at}", [ask(kernels.run("poke", a + at, i32(0x61 + at))), prefetch(a, PAGE),
                                    ask(cu.cuCtxSynchronize()),
                                    ctypes.string_at(a, 3).hex()]
    yield "two end", [ask(cu.cuCtxDestroy(contexts[2])), ask(cu.cuCtxDestroy(contexts[1])),
                      ctypes.string_at(a, 3).hex()]
    must(cu.cuCtxSetCurrent(first_context))
    yield "its own ends", [attribute(mm.PREFETCHED, a, PAGE), ask(cu.cuCtxDestroy(contexts[0])),
                           attribute(mm.PREFETCHED, a, PAGE),
                           ask(cu.cuMemFree(a))]


@question("copies between managed memory and arrays of other lengths stop at the shorter one's end or are refused")
def lengths():
    a, small = fresh(), int(must(cu.cuMemAlloc(PAGE)))
    host_write(a, 5, 2 * PAGE)
    managed = fresh(100)
    for label, to, size in (("device memory, exactly", small, PAGE), ("a hundred bytes", managed, 100),
                            ("a hundred and one", managed, 101), ("all of it to itself", a, 4 * MIB)):
        yield label, [ask(cu.cuMemcpyDtoD(to, a, size)), ask(cu.cuMemcpyDtoDAsync(to, a, size, stream())),
                      ask(cu.cuCtxSynchronize())]
    yield "content", [read(small + PAGE - 1, 1).hex(), host_byte(managed + 99), host_byte(a + 2 * PAGE)]
    prefetch_and_wait(a, PAGE, "host")
    host = make("pinned").address
    yield "pinned memory", [ask(cu.cuMemcpyDtoH(host, a, 64)), host_byte(host + 63)]
    yield "sizes asked about", [int(must(cu.cuMemGetAddressRange(address))[1]) for address in (small, managed, a)]
    yield "no bytes, from null too", [raw("cuMemcpy", managed, a, 0), raw("cuMemcpy", managed, 0, 0)]
