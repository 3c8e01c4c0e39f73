"""Managed memory in two contexts of one device, in threads with and without one, and streams of either."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import DRIVER, question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, must, name, new_context, outcome, read, using, where
from ...helpers.kernels import i32
from ...helpers.managed_calls import attach, every_call
from ...helpers.managed_memory import PAGE, advise, attribute, batch, facts, fresh, host_byte, host_write, prefetch, prefetch_and_wait
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ...helpers.streams import Gate
from ...helpers.threads_and_forks import in_thread


@question("what one context took is used in another as if it had taken it")
def used_in_another():
    a = fresh()
    host_write(a, 7)
    new_context()
    yield "kernel", [ask(kernels.run("fill", a, i32(0x20), i32(4))), ctypes.string_at(a, 6).hex()]
    yield "memset", [ask(cu.cuMemsetD8(a + 1, 9, 2)), ask(cu.cuCtxSynchronize()), ctypes.string_at(a, 6).hex()]
    yield "copied within", [ask(cu.cuMemcpyDtoD(a + 8, a, 4)), read(a, 12).hex()]
    own = fresh()
    yield "copied to its own", [ask(cu.cuMemcpyDtoD(own, a, 12)), ask(cu.cuCtxSynchronize()),
                                ctypes.string_at(own, 12).hex()]
    for place in ("device", "host", "host numa"):
        yield f"prefetched to {place}", [prefetch(a, PAGE, place), ask(cu.cuCtxSynchronize()), facts(a, PAGE)]
    for advice in mm.ADVICE:
        yield f"{advice}", [advise(a, PAGE, advice), facts(a, PAGE)]
    s = must(cu.cuStreamCreate(1))
    for flags in (1, 2, 4):
        yield f"attached to a stream of it, flags {flags}", [attach(s, a, 0, flags), ask(cu.cuStreamSynchronize(s)),
                                                             host_byte(a)]
    for verb in (mm.PREFETCH, mm.DISCARD, mm.BOTH):
        yield verb, [batch(verb, [a], [2 << 20], ["device"], stream=s), ask(cu.cuStreamSynchronize(s))]
    yield "freed", [ask(cu.cuMemFree(a)), ask(cu.cuMemFree(a))]


@question("managed memory tells the context that took it, whichever is current")
def owner():
    def told_context(a, **contexts):
        code, value, _ = get_attribute(ATTRIBUTES["CONTEXT"], a)
        return name(code) if code else where(value, **contexts)
    first, a = must(cu.cuCtxGetCurrent()), fresh()
    second = new_context()
    b, contexts = fresh(), {"first": first, "second": second}
    yield "in the second", [told_context(address, **contexts) for address in (a, b, a + PAGE)]
    must(cu.cuCtxSetCurrent(0))
    yield "in none", [told_context(address, **contexts) for address in (a, b)]
    must(cu.cuCtxSetCurrent(first))
    for place in ("device", "host"):
        prefetch_and_wait(b, PAGE, place)
        yield f"the second's, prefetched to the {place} in the first", told_context(b, **contexts)
    kernels.run("fill", b, i32(1), i32(4))
    yield "the second's, used by a kernel of the first", told_context(b, **contexts)


@question("memory attached to a stream of another context outlives that context")
def attached_elsewhere():
    first, a = must(cu.cuCtxGetCurrent()), fresh()
    second = new_context()
    s = must(cu.cuStreamCreate(1))
    host_write(a, 7)
    yield "attach", [attach(s, a, 0, 4), ask(cu.cuStreamSynchronize(s)), host_byte(a)]
    with using(first):
        yield "a kernel of its own context", [ask(kernels.run("fill", a, i32(1), i32(2))), ctypes.string_at(a, 3).hex()]
    yield "destroy the stream's context", ask(cu.cuCtxDestroy(second))
    must(cu.cuCtxSetCurrent(first))
    yield "then", [host_byte(a), ask(kernels.run("fill", a, i32(5), i32(2))), ctypes.string_at(a, 3).hex(),
                   facts(a, PAGE)]
    t = must(cu.cuStreamCreate(1))
    yield "attached anew", [attach(t, a, 0, 4), ask(cu.cuStreamSynchronize(t)), ask(cu.cuMemFree(a))]


@question("a thread without a context may not do more than a thread that let its context go")
def thread_without():
    a = fresh()
    host_write(a, 7)
    for label in every_call(a):
        yield label, lambda: in_thread(every_call(a)[label])
    b = fresh()
    yield "the host's own reading and writing", in_thread(lambda: [host_write(b, 9), host_byte(b)])


@question("a thread that takes up the same context may do all with its managed memory")
def thread_with():
    context, a = must(cu.cuCtxGetCurrent()), fresh()
    def work():
        must(cu.cuCtxSetCurrent(context))
        b = fresh()
        return [ask(kernels.run("fill", a, i32(3), i32(4))), prefetch(a, PAGE, "host"),
                advise(b, PAGE, "SET_READ_MOSTLY"),
                ask(cu.cuCtxSynchronize()), facts(a, PAGE), facts(b, PAGE), host_byte(a), ask(cu.cuMemFree(b)),
                ask(cu.cuMemFree(a))]
    yield "all", in_thread(work)
    yield "here then", [ask(cu.cuMemGetAddressRange(a)), ask(cu.cuMemFree(a))]


@question("a thread with another context uses and frees what this one took")
def thread_with_another():
    a = fresh()
    host_write(a, 7)
    def work():
        other_context = new_context()
        b = fresh()
        host_write(b, 0x44)
        codes = [ask(cu.cuMemcpyDtoD(a, b, 4)), ask(cu.cuCtxSynchronize()), ctypes.string_at(a, 6).hex()]
        return [*codes, ask(cu.cuCtxDestroy(other_context)), ask(cu.cuMemGetAddressRange(b)), host_byte(a)]
    yield "work", in_thread(work)
    yield "here then", [ask(kernels.run("fill", a, i32(1), i32(2))), ctypes.string_at(a, 6).hex(), ask(cu.cuMemFree(a))]


@question("a context takes managed memory whatever its flags are")
def flags_of_contexts():
    for flags in (0, 1, 2, 4, 8, 16, 32):
        result = cu.cuCtxCreate(None, flags, 0)
        if int(result[0]):
            yield f"flags {flags}", ask(result)
            continue
        a = fresh()
        host_write(a, 7)
        yield f"flags {flags}", [ask(kernels.run("fill", a + 1, i32(1), i32(2))), ctypes.string_at(a, 4).hex(),
                                 prefetch(a, PAGE), facts(a, PAGE)]
        kernels.forget()
        must(cu.cuCtxDestroy(result[1]))


@question("memory of a primary context and of another are used in both, and freed in either", needs=DRIVER)
def primary_and_another():
    primary = must(cu.cuDevicePrimaryCtxRetain(0))
    must(cu.cuCtxSetCurrent(primary))
    a = fresh()
    new_context()
    b = fresh()
    for label, address in (("the primary's", a), ("the other's", b)):
        host_write(address, 7)
        primary_codes = [ask(kernels.run("fill", address, i32(1), i32(2))), advise(address, PAGE, "SET_PREFERRED_LOCATION")]
        with using(primary):
            codes = [ask(kernels.run("fill", address + 3, i32(0x30), i32(2))), prefetch(address, PAGE, "host"),
                     ask(cu.cuCtxSynchronize())]
        yield label, [primary_codes, codes, ctypes.string_at(address, 6).hex(), facts(address, PAGE)]
    yield "freed in the other", [ask(cu.cuMemFree(a)), ask(cu.cuMemGetAddressRange(a))]
    with using(primary):
        yield "freed in the primary", [ask(cu.cuMemFree(b)), ask(cu.cuMemGetAddressRange(b))]


@question("work of two contexts on one piece of managed memory is seen by both after each has waited", alone=True)
def in_turns():
    first, a = must(cu.cuCtxGetCurrent()), fresh()
    second = new_context()
    for round_ in range(3):
        for label, context in (("first", first), ("second", second)):
            with using(context):
                at = 4 * round_ + (2 if label == "second" else 0)
                yield f"{round_}, {label}", [ask(kernels.run("fill", a + at, i32(0x10 * (round_ + 1)), i32(2))),
                                             read(a, 12).hex(),
                                             ctypes.string_at(a, 12).hex(),
                                             prefetch(a, PAGE, ("device", "host")[round_ % 2])]
    yield "both waited", [ask(cu.cuCtxSynchronize()), attribute(mm.PREFETCHED, a, PAGE)]


@question("a context that ends with work on another's managed memory may drop the work, not the memory", alone=True,
          varies={"content": "whether the work of a context that is destroyed is done"})
def destroyed_with_work():
    first, a = must(cu.cuCtxGetCurrent()), fresh()
    host_write(a, 7)
    second = new_context()
    s = must(cu.cuStreamCreate(1))
    with using(first):
        gate = Gate(must(cu.cuStreamCreate(1)))
    with using(second):
        codes = [prefetch(a, PAGE, "device", 0, s), ask(kernels.launch("fill", a, i32(1), i32(2), stream=int(s)))]
    gate.open()
    yield "destroy", [codes, ask(cu.cuCtxDestroy(second))]
    must(cu.cuCtxSetCurrent(first))
    yield "the memory", [ask(cu.cuCtxSynchronize()), outcome(cu.cuMemGetAddressRange(a)[::2]), facts(a, PAGE),
                         ctypes.string_at(a + 8, 2).hex()]
    yield "content", ctypes.string_at(a, 4).hex()
    yield "a kernel", [ask(kernels.run("fill", a, i32(0x50), i32(2))), ctypes.string_at(a, 3).hex()]
