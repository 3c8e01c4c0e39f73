"""Programs that handle errors: what is left of managed memory after each, and what works afterwards."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import DRIVER, question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, device, must, new_context, raw, read, where
from ...helpers.kernels import i32
from ...helpers.managed_calls import attach
from ...helpers.managed_memory import MIB, PAGE, advise, attribute, batch, facts, fresh, host_byte, host_write, prefetch, prefetch_and_wait
from ...helpers.managed_variables import load, variable
from ...helpers.memory_kinds import make, pages
from ...helpers.pointer_attributes import int_attribute, kind_of
from ...helpers.streams import stream
from ...helpers.threads_and_forks import in_thread


@question("a request that is too large for any machine is refused, and the next of a reasonable size is granted")
def too_large():
    a = fresh()
    host_write(a, 4)
    for label, size in (("2^60", 1 << 60), ("2^63", 1 << 63), ("2^64 - 1", (1 << 64) - 1),
                        ("2^64 - 4096", (1 << 64) - 4096)):
        cell = ctypes.c_uint64(5)
        yield label, [raw("cuMemAllocManaged", ctypes.byref(cell), size, 1), cell.value]
    b = fresh()
    yield "the next", [ask(kernels.run("copy", b, a, i32(2))), host_byte(b + 1), ask(cu.cuMemFree(b)),
                       ask(cu.cuMemFree(a))]


@question("a refused allocation leaves its place as it was, whatever was wrong")
def place_untouched():
    for label, size, flags in (("no bytes", 0, 1), ("no flag", PAGE, 0), ("both flags", PAGE, 3),
                               ("the flag for a stream", PAGE, 4),
                               ("a flag that is not", PAGE, 9), ("no bytes and no flag", 0, 0)):
        cell = ctypes.c_uint64(123)
        yield label, [raw("cuMemAllocManaged", ctypes.byref(cell), size, flags), cell.value]
    yield "no place", [raw("cuMemAllocManaged", None, PAGE, 1), raw("cuMemAllocManaged", None, 0, 7)]


@question("a kernel that ends by itself on an error leaves the managed bytes that it had written to the host",
          alone=True)
def after_trap():
    a, s = fresh(), stream()
    yield "before", [ask(kernels.run("fill", a, i32(0x30), i32(4))), ctypes.string_at(a, 4).hex()]
    yield "the error", ask(kernels.run("trap"))
    yield "the host", [ctypes.string_at(a, 4).hex(), ctypes.memset(a + 1, 9, 1) == a + 1, host_byte(a + 1)]
    yield "calls", [prefetch(a, PAGE), advise(a, PAGE, "SET_READ_MOSTLY"), attribute(mm.MOSTLY, a, PAGE),
                    attach(s, a, 0, 1)]
    yield "more calls", [ask(cu.cuMemsetD8(a, 1, 1)), ask(cu.cuMemAllocManaged(PAGE, 1)), ask(cu.cuStreamQuery(s)),
                         ask(cu.cuMemFree(a))]
    yield "queries", [kind_of(a), ask(cu.cuMemGetAddressRange(a))]


@question("after a kernel's error a program goes on in a new context with new managed memory", alone=True)
def next_context():
    context, a = must(cu.cuCtxGetCurrent()), fresh()
    yield "the error", ask(kernels.run("poke", 0, i32(1)))
    result = cu.cuCtxCreate(None, 0, device())
    yield "a new context beside the old", ask(result)
    yield "the old one ends", [ask(cu.cuCtxDestroy(context)), ask(cu.cuMemFree(a))]
    second_result = cu.cuCtxCreate(None, 0, device())
    yield "a new context after it", ask(second_result)
    yield "managed memory there", ask(cu.cuMemAllocManaged(PAGE, 1))


@question("an assertion in a kernel is told by the wait, and again by every call with managed memory", alone=True)
def assertion():
    a = fresh()
    host_write(a, 1)
    yield "launch and wait", [ask(kernels.launch("failing_assert", i32(1))), ask(cu.cuCtxSynchronize())]
    yield "again", [ask(cu.cuCtxSynchronize()), ask(cu.cuMemcpy(a, a + 8, 8)), ask(cu.cuMemFree(a))]
    yield "the host", host_byte(a)
    yield "in a thread", in_thread(lambda: [host_byte(a), ask(cu.cuMemAllocManaged(PAGE, 1))])


@question("a program that gives back in the wrong order is refused what is gone, and gives back the rest")
def wrong_order():
    context = new_context()
    a, s, module = fresh(), stream(), load()
    v, _ = variable(module, "big")
    yield "attached, then the stream is gone", [attach(s, a), ask(cu.cuStreamDestroy(s)), ask(cu.cuMemsetD8(a, 3, 8)),
                                                host_byte(a)]
    yield "the module's variable is freed", [ask(cu.cuMemFree(v)), ask(cu.cuMemFree(v + 4)), int_attribute("MEMORY_TYPE", v)]
    yield "the module, and again its variable", [ask(cu.cuModuleUnload(module)), int_attribute("MEMORY_TYPE", v),
                                                 ask(cu.cuMemFree(v))]
    yield "the context, then its memory", [ask(cu.cuCtxDestroy(context)), ask(cu.cuMemFree(a)), int_attribute("MEMORY_TYPE", a)]


@question("a cleaning up that was done once does nothing when it is done again")
def twice():
    a, p = fresh(), int(must(cu.cuMemAllocAsync(PAGE, 0)))
    yield "managed memory", [ask(cu.cuMemFree(a)), ask(cu.cuMemFree(a)), ask(cu.cuMemFree(0))]
    yield "advice", [advise(a, PAGE, "UNSET_READ_MOSTLY"), advise(a, PAGE, "UNSET_ACCESSED_BY"),
                     advise(a, PAGE, "UNSET_PREFERRED_LOCATION")]
    yield "stream-ordered", [ask(cu.cuMemFree(p)), ask(cu.cuMemFree(p)), ask(cu.cuMemFreeAsync(0, 0))]
    b = fresh()
    yield "advice where it is", [advise(b, PAGE, "UNSET_READ_MOSTLY"), advise(b, PAGE, "UNSET_READ_MOSTLY"),
                                 facts(b, PAGE)]


@question("a program that asks on after refusals gets the same refusal, and the right call goes through between them")
def between_refusals():
    a = fresh()
    wrong, right = lambda: prefetch(a, 5 * MIB), lambda: prefetch(a, 4 * MIB)
    yield "prefetches", [wrong(), right(), wrong(), right(), ask(cu.cuCtxSynchronize())]
    wrong, right = lambda: attach(stream(), a, PAGE), lambda: attach(stream(), a, 4 * MIB)
    yield "attachments", [wrong(), right(), wrong(), right()]
    wrong, right = lambda: advise(a, PAGE, 99), lambda: advise(a, PAGE, "SET_ACCESSED_BY", "host")
    yield "advice", [wrong(), right(), wrong(), right(), facts(a, PAGE)]
    s = stream()
    wrong, right = lambda: batch(mm.DISCARD, [a], [2 * MIB], flags=2, stream=s), lambda: batch(mm.DISCARD, [a],
                                                                                               [2 * MIB], stream=s)
    yield "discards", [wrong(), right(), wrong(), right(), ask(cu.cuStreamSynchronize(s))]


@question("a copy that fails at its second half has not begun with its first")
def all_or_nothing():
    a, d = fresh(), make("device").address
    host_write(a, 7, 4 * MIB)
    must(cu.cuMemsetD8(d, 1, 64 << 10))
    must(cu.cuCtxSynchronize())
    end = a + 4 * MIB
    yield "to device memory", [ask(cu.cuMemcpyDtoD(d, end - 8, 16)), read(d, 8).hex()]
    yield "from device memory", [ask(cu.cuMemcpyDtoD(end - 8, d, 16)), ctypes.string_at(end - 8, 8).hex()]
    yield "set", [ask(cu.cuMemsetD16(end - 8, 0x1111, 5)), ask(cu.cuMemsetD32(end - 8, 0x11111111, 3)),
                  host_byte(end - 8)]
    host = pages()
    yield "to the host", [ask(cu.cuMemcpyDtoH(host, end - 8, 9)), host_byte(host)]


@question("a context that was never the right one is told by the call, and the right one does it", needs=DRIVER)
def right_context():
    context = new_context()
    a = fresh()
    host_write(a, 2)
    must(cu.cuCtxPopCurrent())
    yield "no context", [ask(cu.cuMemAllocManaged(PAGE, 1)), ask(cu.cuMemsetD8(a, 1, 1)), prefetch(a, PAGE),
                         attach(0, a, 0, 1)]
    yield "what needs none", [kind_of(a), host_byte(a), attribute(mm.PREFETCHED, a, PAGE)]
    must(cu.cuCtxPushCurrent(context))
    prefetch_and_wait(a, PAGE)
    yield "the right one", [attribute(mm.PREFETCHED, a, PAGE), ask(cu.cuMemFree(a))]
    yield "which is current", [where(must(cu.cuCtxGetCurrent()), first=context), ask(cu.cuCtxDestroy(context))]
