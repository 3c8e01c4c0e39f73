"""Pinned, registered and managed memory with two devices: who made it, who gives it back, where its pages go."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import two_device_question as question
from ...helpers import kernels
from ...helpers.calls import ask, must, outcome, using
from ...helpers.kernels import i32
from ...helpers.managed_memory import (
    MIB,
    PAGE,
    advise,
    attribute,
    by_page,
    facts,
    fresh,
    host_byte,
    host_write,
    prefetch,
    prefetch_and_wait,
)
from ...helpers.memory_kinds import SMALL, make, pages, unmap
from ...helpers.peers import block_on, copied_bytes, kernel_read, kernel_write, on, two_contexts, without_context
from ...helpers.pointer_attributes import driver_knows

LAST, MOSTLY = 4, 1
MANAGED = """
__managed__ int shared_value = 5;
__device__ int own_value = 6;
extern "C" __global__ void add(int n) { shared_value += n; own_value += n; }
"""


@question("pinned memory of every flag, made with either context, is used by both devices and both contexts' streams")
def pinned():
    first, second = two_contexts()
    for flags in (0, 1, 2, 4, 7):
        for label, context, other_context in (("0", first, second), ("1", second, first)):
            with using(context):
                a = int(must(cu.cuMemHostAlloc(SMALL, flags)))
            ctypes.memset(a, 0, 64)
            yield f"flags {flags}, made with {label}", [
                on(other_context, kernel_write, a, 3), on(context, kernel_read, a), on(context, kernel_write, a + 1, 4),
                on(other_context, copied_bytes, a, 2), ctypes.string_at(a, 2).hex(),
                on(other_context, lambda: ask(cu.cuMemsetD8Async(a + 2, 9, 2, must(cu.cuStreamCreate(1))))),
                on(other_context, lambda: ask(cu.cuCtxSynchronize())),
                ctypes.string_at(a, 4).hex(), on(other_context, lambda: ask(cu.cuMemFreeHost(a))), driver_knows(a)]


@question("pinned and registered memory is given back without a context, twice, and by the wrong calls")
def given_back():
    first, second = two_contexts()
    for kind, calls in {"pinned": (cu.cuMemHostUnregister, cu.cuMemFree, cu.cuMemFreeHost, cu.cuMemFreeHost),
                        "registered": (cu.cuMemFreeHost, cu.cuMemFree, cu.cuMemHostUnregister,
                                       cu.cuMemHostUnregister)}.items():
        with using(second):
            a = make(kind).address
        yield f"{kind}, with 0", [ask(call(a)) for call in calls]
        with using(second):
            b = make(kind).address
        yield f"{kind}, without a context", without_context(lambda: [ask(call(b)) for call in calls])
        yield f"{kind}, then", [driver_knows(a), driver_knows(b)]


@question("one range is registered twice, in contexts of both devices, and unregistered by the one that has not")
def twice():
    first, second = two_contexts()
    a = pages()
    yield "register", [ask(cu.cuMemHostRegister(a, SMALL, 0)),
                       on(second, lambda: ask(cu.cuMemHostRegister(a, SMALL, 0))),
                       on(second, lambda: ask(cu.cuMemHostRegister(a + SMALL // 2, 4096, 0)))]
    yield "portable there", on(second, lambda: ask(cu.cuMemHostRegister(a, SMALL, 1)))
    yield "unregister in 1", [on(second, lambda: ask(cu.cuMemHostUnregister(a))), driver_knows(a),
                              ask(cu.cuMemHostUnregister(a))]
    yield "register in 1", [on(second, lambda: ask(cu.cuMemHostRegister(a, SMALL, 0))), kernel_read(a),
                            on(second, kernel_read, a)]
    yield "1 goes", [ask(cu.cuCtxDestroy(second)), driver_knows(a), ask(cu.cuMemHostUnregister(a)),
                     ask(cu.cuMemHostRegister(a, SMALL, 0)), kernel_read(a)]
    must(cu.cuMemHostUnregister(a))
    unmap(a)


@question("managed memory goes from host to device to device and back, page by page")
def travels():
    first, second = two_contexts()
    a = fresh()
    host_write(a, 1, 4 * PAGE)
    yield "prefetched to 0, to 1", [prefetch(a, 2 * PAGE), prefetch(a + 2 * PAGE, 2 * PAGE, "device 1"),
                                    ask(cu.cuCtxSynchronize())]
    yield "where", by_page(a, 4, LAST)
    yield "each writes the other's pages", [kernel_write(a + 2 * PAGE, 5),
                                            on(second, lambda: [kernel_write(a, 6), ask(cu.cuCtxSynchronize())])]
    yield "the host reads", [host_byte(a + page * PAGE) for page in range(4)]
    yield "last prefetched still", by_page(a, 4, LAST)
    yield "in a stream of 1, with 0 current", [prefetch(a, PAGE, "host", 0,
                                                        on(second, lambda: must(cu.cuStreamCreate(1)))),
                                               on(second, lambda: ask(cu.cuCtxSynchronize())), by_page(a, 2, LAST)]
    yield "copied to both", [ask(cu.cuMemcpy(block_on(first), a, 8)), ask(cu.cuMemcpy(block_on(second), a, 8)),
                             ask(cu.cuCtxSynchronize()), copied_bytes(a, 2)]


@question("managed memory that is mostly read, preferred on one device, or accessed by the other keeps its content")
def advised():
    first, second = two_contexts()
    for label, steps in {"mostly read": [("SET_READ_MOSTLY", "device")],
                         "preferred on 1": [("SET_PREFERRED_LOCATION", "device 1")],
                         "preferred on 1, accessed by 0": [("SET_PREFERRED_LOCATION", "device 1"),
                                                           ("SET_ACCESSED_BY", "device")],
                         "mostly read, accessed by both": [("SET_READ_MOSTLY", "host"), ("SET_ACCESSED_BY", "device"),
                                                           ("SET_ACCESSED_BY", "device 1")]}.items():
        a = fresh()
        host_write(a, 7, PAGE)
        yield f"{label}: advice", [advise(a, PAGE, *step) for step in steps]
        prefetch_and_wait(a, PAGE, "device 1")
        yield f"{label}: read by 0, 1, the host", [kernel_read(a), on(second, kernel_read, a), host_byte(a)]
        yield f"{label}: written by 0, read by 1", [kernel_write(a, 9), on(second, copied_bytes, a, 1), host_byte(a)]
        yield f"{label}: written by 1, read by 0", [on(second, kernel_write, a, 11), copied_bytes(a, 1), host_byte(a)]
        yield f"{label}: said", facts(a, PAGE)


@question("advice and prefetches with devices that are not there, in contexts of either device")
def wrong_places():
    first, second = two_contexts()
    a = fresh()
    for label, context in (("0", first), ("1", second)):
        for place in ("device 7", "device -1", "device -2", "nowhere", "host 7", "host numa", "host numa 9",
                      "host numa current", "type 99"):
            yield f"{place}, with {label}", on(context, lambda: [prefetch(a, PAGE, place),
                                                                 advise(a, PAGE, "SET_PREFERRED_LOCATION", place),
                                                                 advise(a, PAGE, "SET_ACCESSED_BY", place)])
    yield "said", facts(a, PAGE)


@question("managed memory attached to one stream, of the device that is not current")
def attached():
    first, second = two_contexts()
    a = fresh()
    host_write(a, 3)
    stream = on(second, lambda: must(cu.cuStreamCreate(1)))
    yield "to a stream of 1", [ask(cu.cuStreamAttachMemAsync(stream, a, 0, 4)), ask(cu.cuStreamSynchronize(stream))]
    yield "a kernel there", on(second, kernel_read, a, stream)
    yield "a kernel of 0", kernel_read(a)
    yield "with 1 current", on(second, lambda: [ask(cu.cuStreamAttachMemAsync(stream, a, 0, 2)),
                                                ask(cu.cuStreamSynchronize(stream)), kernel_read(a)])
    yield "to all again", [ask(cu.cuStreamAttachMemAsync(0, a, 0, 1)), ask(cu.cuCtxSynchronize()), kernel_write(a, 8),
                           host_byte(a)]
    yield "device memory, pinned memory", [ask(cu.cuStreamAttachMemAsync(stream, block_on(second), 0, 4)),
                                           ask(cu.cuStreamAttachMemAsync(stream, int(must(cu.cuMemHostAlloc(4096, 0))),
                                                                         0, 4))]


def variable(name):
    return int(must(cu.cuModuleGetGlobal(kernels.module(MANAGED), name))[0])


def add(n):
    return ask(kernels.run(kernels.kernel("add", MANAGED), i32(n)))


@question("a managed variable of a module that is loaded on both devices is two, and each is everybody's")
def managed_variables():
    first, second = two_contexts()
    shared = [on(context, variable, b"shared_value") for context in (first, second)]
    own = [on(context, variable, b"own_value") for context in (first, second)]
    yield "two", shared[0] != shared[1]
    yield "each kernel adds to its own", [add(1), on(second, add, 20),
                                          [ctypes.c_int.from_address(a).value for a in shared],
                                          copied_bytes(own[0]), on(second, copied_bytes, own[1])]
    yield "0 reads 1's", [kernel_read(shared[1]), kernel_write(shared[1], 40), ctypes.c_int.from_address(shared[1]).value]
    yield "the host writes, both add", [ctypes.memset(shared[0], 0, 4) == shared[0], add(2), on(second, add, 2),
                                        [ctypes.c_int.from_address(a).value for a in shared]]
    yield "said of it", [attribute(MOSTLY, a, 4) for a in shared]
    yield "1's context goes", [ask(cu.cuCtxDestroy(second)), [driver_knows(a) for a in shared]]


@question("larger managed memory is filled half by each device, and read by the other")
def halves():
    first, second = two_contexts()
    size = 4 * MIB
    a = fresh(size)
    half = size // 2
    yield "fill", [ask(kernels.run("fill", a, i32(3), i32(half), grid=8, block=128)),
                   on(second, lambda: ask(kernels.run("fill", a + half, i32(7), i32(half), grid=8, block=128)))]
    yield "read by the other", [copied_bytes(a + half, 8), on(second, copied_bytes, a, 8)]
    yield "over the border", [copied_bytes(a + half - 4, 8), on(second, copied_bytes, a + half - 4, 8)]
    yield "the host", [host_byte(a), host_byte(a + half), host_byte(a + size - 1)]
    yield "past the end", [ask(cu.cuMemcpyDtoH(bytearray(8), a + size - 4, 8)), ask(cu.cuMemsetD8(a + size - 4, 1, 8))]
    yield "range, with 1", on(second, lambda: outcome(cu.cuMemGetAddressRange(a + half),
                                                      as_=lambda v: int(v) - a if int(v) >= a else int(v)))
