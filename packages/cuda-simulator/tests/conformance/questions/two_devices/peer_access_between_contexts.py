"""Peer access between contexts of every kind; what kernels do with addresses of both devices; rights of both."""
import ctypes
import threading

import numpy as np
from cuda.bindings import driver as cu

from ...asking import two_device_question as question
from ...helpers import kernels
from ...helpers.between import kernel_byte, look, put, take
from ...helpers.calls import ask, must, name, new_context, outcome, raw, using, where
from ...helpers.kernels import i32
from ...helpers.memory_kinds import LARGE, SMALL, access, create, location, make, reserve
from ...helpers.peers import (
    block_on,
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
from ...helpers.pointer_attributes import ATTRIBUTES, driver_knows, get_attribute
from ...helpers.processes import OtherProcess, remembered
from ...helpers.shareable import close_memory, ipc_handle, open_memory


@question("primary contexts and contexts that were made are peers of each other, in all pairs")
def pairs():
    created, primary = two_contexts(), tuple(must(cu.cuDevicePrimaryCtxRetain(ordinal)) for ordinal in (0, 1))
    blocks = {"made": block_on(created[1]), "primary": block_on(primary[1])}
    for label, own, peer in (("made to primary", created, primary), ("primary to made", primary, created),
                             ("primary to primary", primary, primary)):
        yield label, [on(own[0], enable, peer[1]), on(own[0], enable, peer[1])]
        for kind, address in blocks.items():
            yield f"{label}: memory of the {kind} one", lambda: on(own[0], kernel_read, address)
        yield f"{label}: disabled", on(own[0], disable, peer[1])


@question("access may be disabled and enabled again, and reaches the same memory again")
def again():
    first, second = two_contexts()
    a = block_on(second)
    for n in range(3):
        yield f"{n}", [enable(second), kernel_read(a), kernel_write(a, n), disable(second), on(second, copied_bytes, a, 1)]
    yield "memory taken while it was disabled", [enable(second), kernel_read(block_on(second)), disable(second)]


@question("memory that was freed and taken again is reached by the peer")
def taken_again():
    first, second = two_contexts()
    enable(second)
    for n in range(3):
        a = block_on(second, n + 1, 3 << 20)
        yield f"{n}", [kernel_read(a), kernel_write(a, 9), on(second, copied_bytes, a), on(second, lambda: ask(cu.cuMemFree(a)))]


@question("a kernel adds up what lies on both devices, and follows pointers from one to the other")
def pointers():
    first, second = two_contexts()
    enable(second)
    a, b = block_on(first), block_on(second)
    pointer_0, pointer_1 = np.array([b + 8], np.uint64), np.array([a + 4], np.uint64)
    must(cu.cuMemcpyHtoD(a, pointer_0.ctypes.data, 8))
    with using(second):
        must(cu.cuMemcpyHtoD(b, pointer_1.ctypes.data, 8)), must(cu.cuCtxSynchronize())
    yield "each holds an address of the other", [copied_bytes(a, 8) == np.array([b + 8], np.uint64).tobytes().hex(),
                                                 copied_bytes(b, 8) == pointer_1.tobytes().hex()]
    yield "copied by a kernel of 0, to itself", [ask(kernels.run("copy", a + 64, b, i32(16))),
                                                 copied_bytes(a + 64, 8) == pointer_1.tobytes().hex()]
    yield "and to the other", [ask(kernels.run("copy", b + 64, a, i32(16))),
                               on(second, copied_bytes, b + 64, 8) == pointer_0.tobytes().hex()]
    cells = on(second, lambda: int(must(cu.cuMemAlloc(64))))
    must(cu.cuMemsetD8(cells, 0, 64))
    codes = [ask(kernels.run("count_threads", cells, grid=3, block=50)),
             on(second, lambda: ask(kernels.run("count_threads", cells, grid=2, block=7)))]
    yield "counted by both, one after the other", [codes, copied_bytes(cells)]


@question("the context of the other device needs access of its own, also for the same memory")
def both_ways():
    first, second = two_contexts()
    a, b = block_on(first, 1), block_on(second, 2)
    yield "enable both ways", [enable(second), on(second, enable, first)]
    yield "each reads the other's", [kernel_read(b), on(second, kernel_read, a)]
    yield "each writes the other's", [kernel_write(b, 3), on(second, kernel_write, a, 4), copied_bytes(a, 2),
                                      on(second, copied_bytes, b, 2)]
    yield "one way is disabled", disable(second)
    yield "the other still works", on(second, kernel_read, a)
    yield "the disabled one", lambda: kernel_read(b)


@question("contexts with other flags are peers, too")
def flags():
    for first_flags, second_flags in ((0, 4), (4, 0), (1, 2), (8, 8)):
        first, second = new_context(first_flags), new_context(second_flags, 1)
        a = block_on(second)
        yield f"{first_flags}, {second_flags}", on(first, lambda: [enable(second), kernel_read(a), disable(second)])


@question("a second thread with the context has its access")
def threads():
    first, second = two_contexts()
    a, answers = block_on(second), []
    enable(second)

    def work():
        answers.append(kernel_read(a))
        must(cu.cuCtxSetCurrent(first))
        answers.append(kernel_read(a))
        answers.append(disable(second))
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    yield "in a thread", answers
    yield "disabled there: here", lambda: kernel_read(a)


@question("a peer's primary context is reset: its memory is gone for all")
def reset():
    context, primary = must(cu.cuCtxGetCurrent()), must(cu.cuDevicePrimaryCtxRetain(1))
    a = block_on(primary, size=3 << 20)
    yield "before", [enable(primary), kernel_read(a)]
    yield "reset", ask(cu.cuDevicePrimaryCtxReset(1))
    yield "the memory", [driver_knows(a), copy_code_at(a), ask(cu.cuMemFree(a))]
    yield "the first's own", kernel_read(block_on(context))
    yield "disable", lambda: disable(primary)
    yield "retained again: enable", lambda: [enable(must(cu.cuDevicePrimaryCtxRetain(1))),
                                             outcome(cu.cuDevicePrimaryCtxGetState(1))]
    yield "a kernel follows the old address", lambda: kernel_read(a)


@question("outputs and contexts of peer calls are checked")
def arguments():
    first, second = two_contexts()
    yield "access among three contexts", [enable(second), on(second, enable, second), on(second, enable, first)]
    third = new_context()
    yield "to another context of the same device", [enable(first), on(first, enable, third)]
    must(cu.cuCtxPopCurrent())
    yield "a number that is no context", lambda: enable(12345)
    yield "to one that was destroyed", lambda: [ask(cu.cuCtxDestroy(third)), enable(third)]
    yield "attribute of a pair, null output", raw("cuDeviceGetP2PAttribute", None, 1, 0, 1)
    yield "attributes that do not exist", [raw("cuDeviceGetP2PAttribute", ctypes.byref(ctypes.c_int()), number, 0, 1)
                                           for number in (0, 6, 100)]


@question("memory opened by a handle with a context of its device is reached from the other device as memory of a peer",
          processes=True)
def opened_and_enabled():
    owner = OtherProcess(1)
    owner.ask(take, "a")
    handle = owner.ask(ipc_handle, "a")
    first, second = two_contexts()
    with using(second):
        code = open_memory("b", handle)
    a = remembered.get("b", 0)
    yield "open with a context of 1", code
    yield "ordinal", get_attribute(ATTRIBUTES["DEVICE_ORDINAL"], a)[1] & 0xFF
    yield "a copy in 0", look("b")
    yield "a kernel of 1", on(second, kernel_byte, "b")
    yield "a kernel of 0, no peer", lambda: kernel_byte("b")
    yield "open with a context of 0, too", open_memory("c", handle)
    yield "the same address", "c" in remembered and remembered["c"] == remembered["b"]
    yield "enable", lambda: [enable(second), kernel_byte("b")]
    yield "close in 1", on(second, close_memory, "b")
    yield "close in 0", close_memory("c") if "c" in remembered else None


@question("memory opened on the other device is freed, closed and opened again by either context", processes=True)
def opened_by_both():
    owner = OtherProcess(0)
    owner.ask(take, "a")
    handle = owner.ask(ipc_handle, "a")
    first, second = two_contexts()
    yield "open with a context of 1", on(second, open_memory, "b", handle)
    yield "a kernel of 1", lambda: on(second, kernel_byte, "b")
    yield "a kernel of 0", lambda: kernel_byte("b")
    yield "a write of 1", [on(second, put, "b", 7), owner.ask(look, "a")]
    yield "close with a context of 0", close_memory("b")
    yield "close with a context of 1", on(second, close_memory, "b")
    yield "open with a context of 0", [open_memory("c", handle), on(second, look, "c"), close_memory("c")]


@question("rights of virtual memory decide in every context of a device, whatever peers are enabled")
def virtual_rights():
    first, second = two_contexts()
    a = mapped_on(1, {1: "read and write"}).address
    b = mapped_on(0, {0: "read and write"}).address
    yield "copy between two that allow their own device alone", [
        [on(context, lambda: [ask(call()), ask(cu.cuCtxSynchronize())]) for context in (first, second)]
        for call in (lambda: cu.cuMemcpyDtoD(a, b, 16), lambda: cu.cuMemcpyDtoD(b, a, 16),
                     lambda: cu.cuMemcpyPeer(a, second, b, first, 16))]
    enable(second)
    yield "with peer access: a copy, a fill", [copy_code_at(a), ask(cu.cuMemsetD8(a, 1, 4))]
    yield "with peer access: a kernel", lambda: kernel_read(a)


@question("a range shows memory of one device, then of the other")
def remapped():
    first, second = two_contexts()
    base, handles = reserve(), [create(ordinal=ordinal) for ordinal in (0, 1)]
    for n, handle in enumerate((*handles, handles[0])):
        answers = [ask(cu.cuMemMap(base, LARGE, 0, handle, 0)), [outcome(cu.cuMemGetAccess(location(ordinal=ordinal), base))
                                                                 for ordinal in (0, 1)]]
        answers += [ask(cu.cuMemSetAccess(base, LARGE, [access("read and write", ordinal=ordinal) for ordinal in (0, 1)], 2))]
        answers += [get_attribute(ATTRIBUTES["DEVICE_ORDINAL"], base)[1] & 0xFF, copied_bytes(base, 1) if n == 2 else None]
        answers += [kernel_write(base, n + 1), on(second, kernel_read, base), copied_bytes(base, 1), ask(cu.cuMemUnmap(base, LARGE))]
        yield f"{n}", answers


@question("access is set for a list of devices, in which a later entry overrules an earlier one")
def access_lists():
    two_contexts()
    lists = {"both, then 0 none": [(0, "read and write"), (1, "read and write"), (0, "none")],
             "1 twice": [(1, "read and write"), (1, "read")],
             "0 read, 1 none": [(0, "read"), (1, "none")], "nobody": [(0, "none"), (1, "none")],
             "the host, then both": [("host", "read and write"), (0, "read")]}
    for label, entries in lists.items():
        a = mapped_on(0, {}).address
        descriptors = [access(right, *(("host",) if who == "host" else ("device", who))) for who, right in entries]
        yield label, [ask(cu.cuMemSetAccess(a, LARGE, descriptors, len(descriptors))),
                      [outcome(cu.cuMemGetAccess(location(ordinal=ordinal), a)) for ordinal in (0, 1)]]
    a = mapped_on(0, {0: "read and write"}).address
    yield "asked for places that are not there", [outcome(cu.cuMemGetAccess(location(place, who), a)) for place, who in (
        ("device", 2), ("device", -1), ("host", 0), ("host numa", 0))]


@question("the plural call tells of the other device's memory as the single one does")
def plural():
    first, second = two_contexts()
    library = ctypes.CDLL("libcuda.so.1")
    numbers = [ATTRIBUTES[attribute] for attribute in ("MEMORY_TYPE", "DEVICE_POINTER", "HOST_POINTER", "DEVICE_ORDINAL")]
    for kind in ("device", "pinned", "managed", "mapped", "stream-ordered"):
        a = make_on(second, kind).address + 8
        cells = [ctypes.c_uint64() for _ in numbers]
        data = (ctypes.c_void_p * len(cells))(*[ctypes.addressof(cell) for cell in cells])
        code = library.cuPointerGetAttributes(ctypes.c_uint(len(cells)), (ctypes.c_int * len(cells))(*numbers), data,
                                              ctypes.c_uint64(a))
        values = [cell.value for cell in cells]
        yield kind, [name(code), values[0] & 0xFF, where(values[1], asked=a), where(values[2], asked=a),
                     values[3] & 0xFF]


@question("kernels of both devices use the same pinned and registered memory at once")
def host_memory():
    first, second = two_contexts()
    for kind in ("pinned", "registered", "managed"):
        a = make(kind).address
        ctypes.memset(a, 0, SMALL)
        codes = [ask(kernels.run("count_threads", a, grid=4, block=32)),
                 on(second, lambda: ask(kernels.run("count_threads", a, grid=2, block=32)))]
        yield kind, [codes, ctypes.c_int32.from_address(a).value]
        copying = lambda: [ask(kernels.run("copy", a + 64, a, i32(16))), ask(cu.cuCtxSynchronize())]
        yield f"{kind}: filled by one, copied by the other", [
            ask(kernels.run("fill", a, i32(0x40), i32(16))), on(second, copying), ctypes.string_at(a + 64, 4).hex()]
