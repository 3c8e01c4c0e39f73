"""A library is given a pointer and has to find out: what it is, whose, how long, where it may go, who frees it."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, must, name, new_context, outcome, raw, read, using, where
from ...helpers.kernels import i32
from ...helpers.managed_calls import attach
from ...helpers.managed_memory import MIB, PAGE, attribute, fresh, host_byte, host_write, prefetch, prefetch_and_wait
from ...helpers.managed_pools import pool_block, pool_of
from ...helpers.memory_kinds import make, pages, unmap
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute, int_attribute, kind_of
from ...helpers.streams import stream
from ...helpers.threads_and_forks import in_thread


def plural(names, a):
    """cuPointerGetAttributes: the code, and the lowest byte of what each place got."""
    outs = [(ctypes.c_uint64 * 2)() for _ in names]
    kinds = (ctypes.c_int * len(names))(*(ATTRIBUTES[attribute] for attribute in names))
    data = (ctypes.c_void_p * len(names))(*(ctypes.addressof(out) for out in outs))
    return [raw("cuPointerGetAttributes", len(names), kinds, data, a), *(out[0] & 0xFF for out in outs)]


@question("a library tells a managed pointer from those of other kinds by four attributes")
def which_kind():
    for kind in ("managed", "managed, attached to the host", "pinned", "device", "registered", "mapped"):
        block = make(kind)
        yield kind, [kind_of(block.address), kind_of(block.address + block.size - 1)]
    host = pages()
    yield "pageable", [kind_of(host), plural(("MEMORY_TYPE", "IS_MANAGED"), host)]


@question("a library cuts its part from a managed pointer that it was given in the middle of a block")
def from_the_middle():
    a = fresh(3 * MIB + 10)
    for offset in (0, 1000, 2 * MIB + 7, 3 * MIB + 9):
        start, size = must(cu.cuMemGetAddressRange(a + offset))
        bytes_left = int(start) + int(size) - a - offset
        yield f"at {offset}", [where(start, a=a), bytes_left, ask(cu.cuMemsetD8(a + offset, 4, bytes_left)),
                               ask(cu.cuMemsetD8(a + offset, 5, bytes_left + 1))]
    yield "its last byte", host_byte(a + 3 * MIB + 9)


@question("a library asks for start or size alone, and for a pointer that is nobody's any more")
def start_alone():
    a = fresh()
    cell = ctypes.c_uint64(77)
    yield "start alone", [raw("cuMemGetAddressRange_v2", ctypes.byref(cell), None, a + 5), where(cell.value, a=a)]
    yield "size alone", [raw("cuMemGetAddressRange_v2", None, ctypes.byref(cell), a + 5), cell.value]
    yield "neither", raw("cuMemGetAddressRange_v2", None, None, a)
    must(cu.cuMemFree(a))
    cell.value = 77
    yield "freed", [raw("cuMemGetAddressRange_v2", None, ctypes.byref(cell), a), cell.value, kind_of(a),
                    plural(("MEMORY_TYPE",), a)]


@question("what several attributes tell of a managed pointer does not depend on the order in which they are asked for")
def orders():
    a, names = fresh(), ("MEMORY_TYPE", "IS_MANAGED", "MAPPED", "SYNC_MEMOPS", "DEVICE_ORDINAL",
                         "IS_GPU_DIRECT_RDMA_CAPABLE")
    for label, order in (("forwards", names), ("backwards", names[::-1]),
                         ("one twice", ("IS_MANAGED", "MEMORY_TYPE", "IS_MANAGED"))):
        yield label, plural(order, a + 17)
    yield "of none", raw("cuPointerGetAttributes", 0, (ctypes.c_int * 1)(2), (ctypes.c_void_p * 1)(), a)
    yield "null places", raw("cuPointerGetAttributes", 1, (ctypes.c_int * 1)(2), None, a)
    yield "null names", raw("cuPointerGetAttributes", 1, None, (ctypes.c_void_p * 1)(), a)


@question("a library in a context of its own is given a managed pointer, and leaves it as it was")
def own_context():
    a, context = fresh(), must(cu.cuCtxGetCurrent())
    host_write(a, 6)
    library = new_context()
    code, owner, _ = get_attribute(ATTRIBUTES["CONTEXT"], a)
    yield "whose it is", [name(code), where(owner, user=context, library=library)]
    yield "used", [kind_of(a), ask(kernels.run("fill", a + 1, i32(1), i32(2))), ctypes.string_at(a, 4).hex()]
    yield "brought", [prefetch(a, PAGE), ask(cu.cuCtxSynchronize()), attach(stream(), a, 0, 4)]
    yield "gone again", [ask(cu.cuCtxDestroy(library)), ask(cu.cuCtxSetCurrent(context)),
                         attribute(mm.PREFETCHED, a, PAGE), host_byte(a + 1)]
    yield "freed by its owner", ask(cu.cuMemFree(a))


@question("a library takes managed memory for its user in a context that it then pops")
def taken_for():
    context = must(cu.cuCtxGetCurrent())
    library = new_context()
    must(cu.cuCtxPopCurrent())
    with using(library):
        a = fresh()
    yield "used by the user", [ask(cu.cuMemsetD32(a, 7, 2)), ask(cu.cuCtxSynchronize()), host_byte(a + 4)]
    yield "freed by the user", [where(must(cu.cuCtxGetCurrent()), here=context), ask(cu.cuMemFree(a))]
    with using(library):
        b = fresh()
    yield "the library ends", [ask(cu.cuCtxDestroy(library)), int_attribute("MEMORY_TYPE", b), ask(cu.cuMemFree(b)),
                               prefetch(b, PAGE)]


@question("a library's thread is given a managed pointer before it has a context")
def thread_without():
    a, context = fresh(), must(cu.cuCtxGetCurrent())
    host_write(a, 3)
    yield "what it may ask", in_thread(lambda: [host_byte(a), kind_of(a), attribute(mm.MOSTLY, a, PAGE)])
    yield "the range", in_thread(lambda: ask(cu.cuMemGetAddressRange(a)))
    yield "what it may do", in_thread(lambda: [prefetch(a, PAGE), attach(0, a, 0, 1), ask(cu.cuMemsetD8(a, 1, 1))])
    yield "with the primary context", in_thread(lambda: [
        ask(cu.cuCtxSetCurrent(must(cu.cuDevicePrimaryCtxRetain(0)))), ask(cu.cuMemsetD8(a, 1, 1)),
                                                          ask(cu.cuCtxSynchronize()), host_byte(a),
        ask(cu.cuDevicePrimaryCtxRelease(0))])
    yield "the user's", [where(must(cu.cuCtxGetCurrent()), here=context), ask(cu.cuMemFree(a))]


@question("an owner of a managed pointer cannot be told by freeing it in the ways of other kinds")
def ways_to_free():
    a = fresh()
    host_write(a, 8)
    p = pool_block(must(pool_of()))
    for label, at in (("managed", a), ("from a managed pool", p)):
        yield f"{label}: as pinned", [ask(cu.cuMemFreeHost(at)), ask(cu.cuMemHostUnregister(at))]
        yield f"{label}: unmapped", [ask(cu.cuMemUnmap(at, 2 * MIB)), ask(cu.cuMemAddressFree(at, 2 * MIB))]
        yield f"{label}: still there", [ask(kernels.run("poke", at, i32(9))), host_byte(at)]
    yield "each in its own way", [ask(cu.cuMemFree(a)), ask(cu.cuMemFreeAsync(p, 0)), ask(cu.cuStreamSynchronize(0))]


@question("a managed pointer stays the same to a library that pins, maps or shares what lies beside it")
def beside():
    a, host = fresh(), pages(8 * PAGE)
    kind_before = kind_of(a)
    yield "pages beside", [ask(cu.cuMemHostRegister(host, 8 * PAGE, 2)), kind_of(host), kind_of(a) == kind_before]
    yield "into pages", [ask(cu.cuMemcpyAsync(host, a, 64, stream())), ask(cu.cuCtxSynchronize()),
                         ask(cu.cuMemHostRegister(a, 2 * PAGE, 0)),
                         ask(cu.cuMemHostRegister(host, 8 * PAGE, 0))]
    yield "let go", [ask(cu.cuMemHostUnregister(host)), ask(cu.cuMemHostUnregister(a)), kind_of(a) == kind_before]
    unmap(host, 8 * PAGE)
    yield "forward and flags", [ask(cu.cuMemHostGetDevicePointer(a, 0)), outcome(cu.cuMemHostGetFlags(a)),
                                outcome(cu.cuMemHostGetFlags(a + 9))]


@question("a library that copies to itself by kind finds the same bytes by each call that takes the kind")
def copied_by_kind():
    a = fresh()
    for place in ("host", "device"):
        host_write(a, 0x41, 64)
        prefetch_and_wait(a, PAGE, place)
        d = int(must(cu.cuMemAlloc(64)))
        calls = (lambda: cu.cuMemcpyDtoD(d, a, 64), lambda: cu.cuMemcpyHtoD(d, a, 64), lambda: cu.cuMemcpy(d, a, 64))
        answers = []
        for call in calls:
            must(cu.cuMemsetD8(d, 0, 64))
            answers.append([ask(call()), ask(cu.cuCtxSynchronize()), read(d, 64) == b"A" * 64])
        yield f"pages on the {place}", answers
    yield "the wrong way round", lambda: [ask(cu.cuMemcpyHtoD(a, d, 8)), ask(cu.cuMemcpyDtoH(d, a, 8)),
                                          ask(cu.cuMemcpyDtoH(a, d, 8))]
