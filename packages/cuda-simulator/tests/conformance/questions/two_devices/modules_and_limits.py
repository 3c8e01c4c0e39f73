"""Modules, libraries, limits and context settings with two devices: what each context has for itself."""

from cuda.bindings import driver as cu

from ...asking import DRIVER, two_device_question as question
from ...helpers import kernels
from ...helpers.calls import ask, must, new_context, outcome, where
from ...helpers.kernels import i32
from ...helpers.peers import block_on, copied_bytes, enable, kernel_read, kernel_write, on, ordinal, two_contexts

SOURCE = """
__constant__ int factor = 3;
__device__ int total = 10;
extern "C" __global__ void take_in(int n) { total += factor * n; }
extern "C" __global__ void tell(int *out) { out[0] = total; out[1] = factor; }
"""


def run(name, *arguments):
    return ask(kernels.run(kernels.kernel(name, SOURCE), *arguments))


def total_and_factor():
    out = int(must(cu.cuMemAlloc(64)))
    return [run("tell", out), copied_bytes(out, 8)]


def variable(name):
    return int(must(cu.cuModuleGetGlobal(kernels.module(SOURCE), name))[0])


@question("kernels of one module, loaded on both devices, have variables and constants of their own")
def variables():
    first, second = two_contexts()
    yield "as loaded", [total_and_factor(), on(second, total_and_factor)]
    yield "each adds", [run("take_in", i32(1)), on(second, run, "take_in", i32(2)), total_and_factor(), on(second, total_and_factor)]
    for name in (b"factor", b"total"):
        variable_0, variable_1 = variable(name), on(second, variable, name)
        yield f"{name.decode()}: whose", [variable_0 != variable_1, ordinal(variable_0), ordinal(variable_1)]
        yield f"{name.decode()}: set there from here", [ask(cu.cuMemsetD32(variable_1, 5, 1)), ask(cu.cuCtxSynchronize()),
                                                        total_and_factor(), on(second, total_and_factor)]
        yield f"{name.decode()}: copied from there to here", [ask(cu.cuMemcpyDtoD(variable_0, variable_1, 4)),
                                                              ask(cu.cuCtxSynchronize()), total_and_factor()]
    yield "enabled", enable(second)
    yield "a kernel reads the other's variable", lambda: kernel_read(on(second, variable, b"total"))
    yield "a kernel writes it", lambda: kernel_write(on(second, variable, b"total"), 77)


@question("a library is loaded once, and has a kernel and variables on each device")
def libraries():
    first, second = two_contexts()
    library = must(cu.cuLibraryLoadData(kernels.ptx(SOURCE), [], [], 0, [], [], 0))
    kernel = must(cu.cuLibraryGetKernel(library, b"take_in"))
    functions = [on(context, lambda: int(must(cu.cuKernelGetFunction(kernel)))) for context in (first, second)]
    yield "a function for each", functions[0] != functions[1]
    totals = [on(context, lambda: int(must(cu.cuLibraryGetGlobal(library, b"total"))[0]))
              for context in (first, second)]
    yield "variables", [totals[0] != totals[1], [ordinal(a) for a in totals]]
    yield "the kernel is launched in both", [ask(kernels.run(kernel, i32(1))),
                                             on(second, lambda: ask(kernels.run(kernel, i32(2)))), copied_bytes(totals[0]),
                                             on(second, copied_bytes, totals[1])]
    yield "the other's function", lambda: ask(kernels.run(functions[1], i32(1)))
    yield "its module", [on(context, lambda: ask(cu.cuLibraryGetModule(library))) for context in (first, second)]
    yield "attributes by device", [outcome(cu.cuKernelGetAttribute(cu.CUfunction_attribute(0), kernel, ordinal))
                                   for ordinal in (0, 1, 2)]
    yield "set for one", [ask(cu.cuKernelSetAttribute(cu.CUfunction_attribute(8), 2048, kernel, 1)),
                          [outcome(cu.cuKernelGetAttribute(cu.CUfunction_attribute(8), kernel, ordinal)) for ordinal in (0, 1)]]
    new_context(ordinal=1)
    yield "a third context of 1", [ask(kernels.run(kernel, i32(1))),
                                   int(must(cu.cuKernelGetFunction(kernel))) in functions]
    yield "unloaded", [ask(cu.cuLibraryUnload(library))]


@question("a kernel gets addresses of both devices as arguments, and follows those that it may")
def arguments():
    first, second = two_contexts()
    a, b = block_on(first, 1), block_on(second, 2)
    yield "from its own to its own", ask(kernels.run("copy", a + 64, a, i32(8)))
    yield "an address of the other that is not followed", ask(kernels.run("copy", a, b, i32(0)))
    yield "one that is", lambda: ask(kernels.run("copy", a, b, i32(1)))
    yield "in the other direction", lambda: ask(kernels.run("copy", b, a, i32(1)))
    yield "enabled", [enable(second), ask(kernels.run("copy", a, b, i32(8))),
                      ask(kernels.run("copy", b + 16, a, i32(8))), on(second, copied_bytes, b + 16)]
    yield "a kernel of 1 that has no access", lambda: on(second, lambda: ask(kernels.run("copy", b, a, i32(1))))


@question("every limit is each context's own, on either device")
def limits():
    first, second = two_contexts()
    values = {0: 2048, 1: 2 << 20, 2: 16 << 20, 4: 4096, 5: 64, 6: 1 << 20}
    for limit, value in values.items():
        kind = cu.CUlimit(limit)
        told_of = lambda: [outcome(cu.cuCtxGetLimit(kind)), on(second, lambda: outcome(cu.cuCtxGetLimit(kind)))]
        yield f"limit {limit}: at first", told_of()
        yield f"limit {limit}: set in 1", [on(second, lambda: ask(cu.cuCtxSetLimit(kind, value))), told_of()]
        yield f"limit {limit}: in a new context of 1", on(new_context(ordinal=1), lambda: outcome(cu.cuCtxGetLimit(kind)))
        must(cu.cuCtxSetCurrent(first))


@question("primary contexts of two devices have flags and states of their own", needs=DRIVER)
def primary_contexts():
    state = lambda: [outcome(cu.cuDevicePrimaryCtxGetState(ordinal)) for ordinal in (0, 1)]
    yield "at first", state()
    yield "flags", [ask(cu.cuDevicePrimaryCtxSetFlags(1, 4)), state(), ask(cu.cuDevicePrimaryCtxSetFlags(2, 4)),
                    ask(cu.cuDevicePrimaryCtxSetFlags(0, 3))]
    second = must(cu.cuDevicePrimaryCtxRetain(1))
    yield "1 retained", [state(), int(must(cu.cuDevicePrimaryCtxRetain(1))) == int(second)]
    yield "flags of what is active", [ask(cu.cuDevicePrimaryCtxSetFlags(1, 1)), state()]
    first = must(cu.cuDevicePrimaryCtxRetain(0))
    yield "0 retained", [state(), int(first) != int(second), ask(cu.cuCtxGetCurrent()),
                         int(must(cu.cuCtxGetCurrent())) == 0]
    yield "used", [on(context, lambda: [outcome(cu.cuCtxGetDevice()), outcome(cu.cuCtxGetFlags())]) for context in (first, second)]
    yield "enable both ways", [on(first, enable, second), on(second, enable, first)]
    yield "1 released once, twice, thrice", [[ask(cu.cuDevicePrimaryCtxRelease(1)), state()] for _ in range(3)]
    yield "0 is as before", on(first, lambda: [outcome(cu.cuCtxGetDevice()), ask(cu.cuMemAlloc(64))])
    yield "0 reset, released", [ask(cu.cuDevicePrimaryCtxReset(0)), state(), ask(cu.cuDevicePrimaryCtxRelease(0)),
                                state()]
    yield "retained again", [outcome(cu.cuDevicePrimaryCtxRetain(1), as_=lambda primary: "given"), state()]
    yield "a device that is not there", [ask(cu.cuDevicePrimaryCtxRetain(2)), ask(cu.cuDevicePrimaryCtxRelease(-1)),
                                         ask(cu.cuDevicePrimaryCtxGetState(2))]


@question("a context says its device, flags, number and version, whoever asks, and is destroyed from anywhere")
def contexts():
    first, second = two_contexts()
    third = new_context(4, 1)
    must(cu.cuCtxSetCurrent(first))
    for label, context in (("0", first), ("1", second), ("another of 1", third)):
        yield label, on(context, lambda: [outcome(cu.cuCtxGetDevice()), outcome(cu.cuCtxGetFlags()),
                                          outcome(cu.cuCtxGetCacheConfig())])
    yield "version", [outcome(cu.cuCtxGetApiVersion(context)) == outcome(cu.cuCtxGetApiVersion(first))
                      for context in (second, third)]
    yield "cache of one", [on(second, lambda: ask(cu.cuCtxSetCacheConfig(cu.CUfunc_cache(2)))),
                           [on(context, lambda: outcome(cu.cuCtxGetCacheConfig())) for context in (first, second, third)]]
    yield "destroyed from 0", [ask(cu.cuCtxDestroy(third)), where(must(cu.cuCtxGetCurrent()), first=first)]
    yield "the other of its device", on(second, lambda: kernel_read(block_on(second)))
    yield "destroyed while current", on_stack(second)
    yield "devices that are not there", [ask(cu.cuCtxCreate(None, 0, ordinal)) for ordinal in (2, -1)]


def on_stack(context):
    must(cu.cuCtxPushCurrent(context))
    answers = [ask(cu.cuCtxDestroy(context)), outcome(cu.cuCtxGetDevice()), ask(cu.cuMemAlloc(64))]
    kernels.forget()
    return answers
