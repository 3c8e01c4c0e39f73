"""Attachment of managed memory to streams or to the host, and host and device at it at the same time."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, new_context, outcome, read
from ...helpers.kernels import i32
from ...helpers.managed_calls import GLOBAL, HOST, SINGLE, attach
from ...helpers.managed_memory import MIB, PAGE, facts, fresh, host_byte, host_write
from ...helpers.memory_kinds import make, pages
from ...helpers.streams import DESTROYED, LEGACY, PER_THREAD, Gate

FLAGS = {"GLOBAL": GLOBAL, "HOST": HOST, "SINGLE": SINGLE}


def a_stream(flags=1):
    return must(cu.cuStreamCreate(flags))


@question("the device says whether host and device may be at managed memory together, and whether it is all there is to share")
def device_attributes():
    for attribute in ("MANAGED_MEMORY", "CONCURRENT_MANAGED_ACCESS", "PAGEABLE_MEMORY_ACCESS", "PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES",
                      "DIRECT_MANAGED_MEM_ACCESS_FROM_HOST"):
        yield attribute, outcome(cu.cuDeviceGetAttribute(getattr(cu.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{attribute}"), 0))


@question("memory is attached as a whole, by its size or by 0")
def lengths():
    s = a_stream()
    for size in (100, 65536, 4 * MIB):
        a = fresh(size)
        for label, flags in FLAGS.items():
            for length in (0, 1, size // 2, size - 1, size, size + 1, 2 * size, (size + PAGE - 1) // PAGE * PAGE, 1 << 40):
                yield f"{label}: {length} of {size}", attach(s, a, length, flags)
    yield "synchronize", ask(cu.cuStreamSynchronize(s))


@question("memory is attached by its start")
def addresses():
    s, a = a_stream(), fresh()
    for label, flags in FLAGS.items():
        for offset in (0, 1, PAGE, 4 * MIB - 1):
            yield f"{label}: at {offset}", lambda: attach(s, a + offset, 0, flags)
        yield f"{label}: at {PAGE}, the rest by size", lambda: attach(s, a + PAGE, 4 * MIB - PAGE, flags)
        yield f"{label}: null", lambda: attach(s, 0, 0, flags)
    b = fresh()
    must(cu.cuMemFree(b))
    yield "freed", lambda: attach(s, b, 0, GLOBAL)


@question("one flag is given, and only one that exists", alone=True)
def flags():
    for value in (1, 2, 3, 4, 5, 6, 7, 8, 16, 1 << 31, 0):
        yield f"flags {value}", lambda: attach(a_stream(), fresh(), 0, value)


@question("memory is attached singly to any stream but NULL, also to the legacy one by its name", alone=True, varies={"destroyed": DESTROYED})
def streams():
    a, own, blocking, context = fresh(), a_stream(), a_stream(0), must(cu.cuCtxGetCurrent())
    new_context()
    other_stream = a_stream()
    must(cu.cuCtxSetCurrent(context))
    for label, flags in FLAGS.items():
        for title, stream in (("NULL", 0), ("legacy", LEGACY), ("per thread", PER_THREAD), ("non-blocking", own), ("blocking", blocking),
                              ("of another context", other_stream)):
            yield f"{label}: {title}", lambda: [attach(stream, a, 0, flags), ask(cu.cuCtxSynchronize())]
    must(cu.cuCtxSetCurrent(0))
    yield "without a context", lambda: attach(own, a)
    must(cu.cuCtxSetCurrent(context))
    must(cu.cuStreamDestroy(own))
    yield "destroyed", lambda: attach(own, a)


@question("where host and device may be at it together, memory attached to one stream is used by any other")
def used_by_other_streams():
    own, other_stream = a_stream(), a_stream()
    for label, flags in FLAGS.items():
        a = fresh()
        must(cu.cuStreamAttachMemAsync(own, a, 0, flags))
        must(cu.cuStreamSynchronize(own))
        for value, (title, stream) in enumerate((("its stream", own), ("another", other_stream), ("the NULL stream", 0)), 1):
            yield f"{label}: kernel in {title}", lambda: [
                ask(kernels.run("fill", a, i32(16 * value), i32(4), stream=int(stream))), ctypes.string_at(a, 4).hex(), read(a, 4).hex()]


@question("attaching again replaces what was, also after the stream is gone")
def attached_again():
    a, s, t = fresh(), a_stream(), a_stream()
    host_write(a, 7)
    for label, stream, flags in (("to one", s, SINGLE), ("to another", t, SINGLE), ("to the host", s, HOST), ("to one again", s, SINGLE)):
        yield label, [attach(stream, a, 0, flags), ask(cu.cuStreamSynchronize(stream)), host_byte(a)]
    yield "its stream destroyed", [ask(cu.cuStreamDestroy(s)), host_byte(a), ask(kernels.run("fill", a, i32(9), i32(1))), host_byte(a)]
    yield "to all, by another stream", [attach(t, a, 0, GLOBAL), ask(cu.cuStreamSynchronize(t))]
    yield "freed while attached", [attach(t, a), ask(cu.cuMemFree(a)), ask(cu.cuStreamSynchronize(t)), ask(cu.cuStreamDestroy(t))]


@question("the host uses managed memory while a kernel of whichever stream runs", alone=True)
def while_a_kernel_runs():
    for label, flags in FLAGS.items():
        for title in ("its stream", "another stream"):
            a, own = fresh(), a_stream()
            must(cu.cuStreamAttachMemAsync(own, a, 0, flags))
            must(cu.cuStreamSynchronize(own))
            must(kernels.run("fill", a, i32(1), i32(4), stream=int(own)))
            stream = own if title == "its stream" else a_stream()
            gate = Gate(stream)
            answers = [ask(cu.cuStreamQuery(stream)), ctypes.string_at(a, 4).hex()]
            host_write(a, 9, 2)
            answers += [ctypes.string_at(a, 4).hex(), ask(cu.cuStreamQuery(stream))]
            gate.open()
            yield f"{label}: a kernel in {title}", [*answers, ask(cu.cuStreamSynchronize(stream)), read(a, 4).hex()]


@question("host and kernel hand a value to and fro through managed memory while the kernel runs", alone=True)
def conversation():
    for label, flags in (("GLOBAL", GLOBAL), ("HOST", HOST)):
        a, s = fresh(2 * MIB, flags), a_stream()
        cells = (ctypes.c_int * 2).from_address(a)
        cells[0] = cells[1] = 0
        launched = ask(kernels.launch("wait_for", a, a + 4, stream=int(s)))
        running = ask(cu.cuStreamQuery(s))
        cells[0] = 41
        yield label, [launched, running, ask(cu.cuStreamSynchronize(s)), cells[1]]


@question("the host uses managed memory that queued work has not come to", alone=True)
def before_queued_work():
    a, s = fresh(), a_stream()
    host_write(a, 7)
    gate = Gate(s)
    queued = [ask(cu.cuMemsetD8Async(a, 1, 2, s)), ask(cu.cuMemcpyDtoDAsync(a + 4, a, 4, s))]
    content = ctypes.string_at(a, 8).hex()
    host_write(a + 2, 8, 2)
    gate.open()
    yield "memset and copy", [queued, content, ask(cu.cuStreamSynchronize(s)), ctypes.string_at(a, 8).hex()]


@question("an attachment waits for its stream, and the host need not", alone=True)
def behind_other_work():
    a, s = fresh(), a_stream()
    gate = Gate(s)
    meanwhile = [attach(s, a), ask(cu.cuStreamQuery(s))]
    host_write(a, 7)
    meanwhile.append(host_byte(a))
    gate.open()
    yield "behind a kernel", [*meanwhile, ask(cu.cuStreamSynchronize(s)), host_byte(a)]


@question("pageable memory is attached only where kernels may follow its addresses")
def pageable():
    s, a = a_stream(), pages()
    yield "kernels may", outcome(cu.cuDeviceGetAttribute(cu.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 0))
    for label, flags in FLAGS.items():
        for length in (0, 100, PAGE, 65536):
            yield f"{label}: {length} bytes", lambda: attach(s, a, length, flags)
    for kind in ("registered", "pinned", "unregistered"):
        yield f"{kind}, 4096 bytes", lambda: attach(s, make(kind).address, PAGE, SINGLE)


@question("attaching changes neither what the range says nor where its content is")
def range_says():
    for label, flags in FLAGS.items():
        s, a = a_stream(), fresh()
        host_write(a, 7)
        yield label, [attach(s, a, 0, flags), ask(cu.cuStreamSynchronize(s)), facts(a, PAGE), host_byte(a), read(a, 1).hex()]
