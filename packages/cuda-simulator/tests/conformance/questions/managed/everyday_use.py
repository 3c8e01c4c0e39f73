"""Managed memory day by day: taken and freed, a place for calls' results, filled and read by the host."""
import ctypes
import os
import struct

import numpy as np
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, outcome, pattern, raw, read, where
from ...helpers.kernels import i32
from ...helpers.managed_memory import MIB, PAGE, fresh, host_byte, host_write, prefetch, prefetch_and_wait, view
from ...helpers.memory_kinds import make, pages
from ...helpers.pointer_attributes import ATTRIBUTES, int_attribute
from ...helpers.turns import run


@question("the range of managed memory is as long as was asked for, to the byte")
def odd_sizes():
    for size in (3, 511, 4095, 4097, 65537, 2 * MIB - 1, 2 * MIB + 1, 33 * MIB + 5):
        a = fresh(size)
        start, length = must(cu.cuMemGetAddressRange(a + size - 1))
        yield f"{size}", [where(start, a=a), int(length), int_attribute("RANGE_SIZE", a)]


@question("of five blocks two are freed, and the others are as they were")
def some_freed():
    for size in (1000, 64 << 10, 2 * MIB, 3 * MIB + 17):
        blocks = [fresh(size) for _ in range(5)]
        for value, a in enumerate(blocks):
            host_write(a, 0x10 + value, size)
        codes = [ask(cu.cuMemFree(blocks[at])) for at in (3, 1)]
        kept = [blocks[at] for at in (0, 2, 4)]
        yield f"{size}", [codes, [ask(kernels.run("fill", a + 1, i32(1), i32(2))) for a in kept],
                          [ctypes.string_at(a, 4).hex() for a in kept], [host_byte(a + size - 1) for a in kept]]


@question("a large block that is freed and taken anew has nothing of what was in it")
def cleared():
    fillers = {"the host": lambda a, size: ctypes.memset(a, 7, size) == a, "a memset": lambda a,
               size: ask(cu.cuMemsetD8(a, 7, size)),
               "a kernel": lambda a, size: ask(kernels.run("fill", a, i32(7), i32(5000), block=256))}
    for label, fill in fillers.items():
        for size in (4 * MIB, 8 * MIB):
            a = fresh(size)
            codes = [fill(a, size), ask(cu.cuCtxSynchronize()), ask(cu.cuMemFree(a))]
            b = fresh(size)
            yield f"{size}, filled by {label}", [codes, set(ctypes.string_at(b, size)) == {0}]


@question("a wrong call to free leaves managed memory, pinned and device memory as they were")
def wrong_frees():
    a, p, d = fresh(), make("pinned").address, make("device").address
    for at, value in ((a, 7), (p, 8)):
        host_write(at, value)
    must(cu.cuMemsetD8(d, 9, 4))
    yield "as pinned", [ask(cu.cuMemFreeHost(one_)) for one_ in (a, d)]
    yield "as device memory", ask(cu.cuMemFree(p))
    yield "unregistered", [ask(cu.cuMemHostUnregister(one_)) for one_ in (a, p, d)]
    yield "in a stream", [ask(cu.cuMemFreeAsync(one_, 0)) for one_ in (a + 64, p)]
    yield "still there", [host_byte(a), host_byte(p), read(d, 4).hex(), ask(kernels.run("copy", a + 4, d, i32(4))),
                          ctypes.string_at(a, 9).hex()]
    yield "freed rightly", [ask(cu.cuMemFree(a)), ask(cu.cuMemFreeHost(p)), ask(cu.cuMemFree(d))]


@question("calls put their results into managed memory, wherever it is")
def results():
    for place in ("device", "host"):
        a = fresh()
        prefetch_and_wait(a, 4 * MIB, place)
        cells = view(a, np.uint64, 8)
        allocate = [raw("cuMemAllocManaged", a, 5000, 1), int(cells[0]) != 0]
        yield f"{place}: an address", [*allocate, raw("cuPointerGetAttribute", a + 8, ATTRIBUTES["RANGE_SIZE"],
                                                      int(cells[0])),
                                       int(cells[1]), raw("cuMemFree_v2", int(cells[0]))]
        yield f"{place}: its own range", [raw("cuMemGetAddressRange_v2", a + 16, a + 24, a + 100), where(cells[2], a=a),
                                          int(cells[3])]
        cells[:] = 0
        yield f"{place}: numbers", [raw("cuDeviceGetCount", a), raw("cuDriverGetVersion", a + 8), int(cells[0]),
                                    int(cells[1]) >= 12000]
        yield f"{place}: a context", [raw("cuCtxGetCurrent", a + 32), int(cells[4]) == int(must(cu.cuCtxGetCurrent()))]
        yield f"{place}: read by a kernel", [run("gather", fresh_table(a), i32(2), a + 128),
                                             ctypes.string_at(a + 128, 2).hex()]


def fresh_table(*addresses):
    """Managed memory that holds these addresses, and each of them once more."""
    t = fresh()
    view(t, np.uint64, 2 * len(addresses))[:] = [*addresses, *addresses]
    return t


@question("a module's image and the names of its functions are read from managed memory")
def images():
    image, handles = kernels.ptx(), (ctypes.c_uint64 * 4)()
    a, text = fresh(), fresh(100)
    ctypes.memmove(a, image, len(image))
    for place in ("host", "device"):
        ctypes.memmove(text, b"poke\0zeros\0", 11)
        must(cu.cuCtxSynchronize())
        prefetch_and_wait(a, 4 * MIB, place)
        yield f"{place}: load", raw("cuModuleLoadData", ctypes.byref(handles), a)
        yield f"{place}: function", raw("cuModuleGetFunction", ctypes.byref(handles, 8), handles[0], text)
        yield f"{place}: variable", [raw("cuModuleGetGlobal_v2", ctypes.byref(handles, 16), ctypes.byref(handles, 24),
                                         handles[0], text + 5),
                                     handles[3]]
        yield f"{place}: used", [ask(kernels.run(cu.CUfunction(handles[1]), a + 3 * MIB, i32(77))),
                                 host_byte(a + 3 * MIB)]
        yield f"{place}: unload", raw("cuModuleUnload", handles[0])


@question("an array of NumPy's over managed memory is sorted, cut and summed by the host after a kernel wrote it")
def arrays():
    a = fresh()
    bytes_ = view(a, np.uint8, 600)
    yield "written", [ask(kernels.run("fill", a, i32(200), i32(600), block=128)), int(bytes_.sum()),
                      int(bytes_.argmax())]
    bytes_.sort()
    yield "sorted", [bytes_[:4].tolist(), bytes_[-4:].tolist()]
    yield "cut", bytes_.reshape(20, 30)[::7, 5].tolist()
    bytes_[::2] = 0
    yield "every other zero, copied out", read(a + 300, 6).hex()
    yield "as a number of eight bytes", int(view(a + 8, np.uint64, 1)[0])


@question("the host's own functions take managed memory on either side")
def by_the_host():
    a, b, p = fresh(), fresh(), pages()
    ctypes.memmove(a, pattern(300), 300)
    yield "from managed memory", [ctypes.memmove(p, a, 300) == p, ctypes.string_at(p, 300) == pattern(300)]
    must(kernels.run("fill", a, i32(1), i32(4)))
    yield "managed to managed, after a kernel", [ctypes.memmove(b, a, 300) == b, ctypes.string_at(b, 6).hex()]
    yield "over itself", [ctypes.memmove(a + 2, a, 6) == a + 2, ctypes.string_at(a, 10).hex(), read(a, 10).hex()]
    prefetch_and_wait(a, PAGE, "device")
    yield "packed", [struct.pack_into("<Hd", (ctypes.c_char * 64).from_address(a), 1, 513, 1.5), read(a, 12).hex()]
    reading, writing = os.pipe()
    prefetch_and_wait(a, PAGE, "device")
    yield "through a pipe", [os.write(writing, (ctypes.c_char * 5).from_address(a)),
                             os.readv(reading, [(ctypes.c_char * 5).from_address(b)]),
                             read(b, 6).hex()]
    os.close(reading)
    os.close(writing)


@question("managed memory of odd sizes is used by kernel and host to its last byte")
def last_bytes():
    for size in (1, 3, 4095, 65537, 2 * MIB + 1, 5 * MIB - 1):
        a = fresh(size)
        code = ask(kernels.run("fill", a + size - 1, i32(0x61), i32(1)))
        yield f"{size}", [code, host_byte(a + size - 1), ask(cu.cuMemsetD8(a + size - 1, 5, 1)),
                          ask(cu.cuCtxSynchronize()),
                          host_byte(a + size - 1), ask(cu.cuMemFree(a))]


@question("what the driver tells of managed memory is the same after a prefetch, a kernel and a refused call")
def told_the_same():
    def all_of(a):
        return [int_attribute(title, a + 5000) for title in ("MEMORY_TYPE", "IS_MANAGED", "DEVICE_ORDINAL", "RANGE_SIZE",
                                                             "MAPPED")]
    for flags in (1, 2):
        a = fresh(5 * MIB, flags)
        yield f"flags {flags}: fresh", all_of(a)
        yield f"flags {flags}: prefetched", [prefetch(a, 5 * MIB), ask(cu.cuCtxSynchronize()), all_of(a)]
        yield f"flags {flags}: written", [ask(kernels.run("fill", a, i32(1), i32(1))), host_write(a, 1), all_of(a)]
        yield f"flags {flags}: refused", [ask(cu.cuMemHostRegister(a, PAGE, 0)), ask(cu.cuMemFree(a + PAGE)), all_of(a)]
        yield f"flags {flags}: freed", [ask(cu.cuMemFree(a)), all_of(a)]


@question("managed memory is told by any of its addresses, in any of the number types that a call takes")
def types_of_numbers():
    a = fresh()
    for label, number in (("an int", a), ("a CUdeviceptr", cu.CUdeviceptr(a)), ("an int inside", a + 77),
                          ("a CUdeviceptr inside", cu.CUdeviceptr(a + 77))):
        yield label, [outcome(cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_IS_MANAGED, number)),
                      ask(cu.cuMemsetD8(number, 3, 1)), outcome(cu.cuMemGetAddressRange(number)[::2]),
                      prefetch(int(number), 1)]
    yield "freed by a CUdeviceptr", [ask(cu.cuMemFree(cu.CUdeviceptr(a))), ask(cu.cuMemFree(a))]


@question("a cooperative launch and a launch whose parameters lie in managed memory write managed memory as others do")
def launched_otherwise():
    a, spare = fresh(), fresh()
    function, parameters = kernels.kernel("fill"), view(spare, np.uint64, 16)
    parameters[8], parameters[9], parameters[10] = a, 0x21, 3
    parameters[:3] = spare + 64, spare + 72, spare + 80
    yield "parameters in managed memory", [ask(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, spare, 0)),
                                           ask(cu.cuCtxSynchronize()), ctypes.string_at(a, 4).hex()]
    prefetch_and_wait(spare, 4 * MIB)
    yield "prefetched to the device", [ask(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, spare, 0)),
                                       ask(cu.cuCtxSynchronize()), ctypes.string_at(a, 4).hex()]
    host_write(a, 0)
    yield "cooperative", [ask(cu.cuLaunchCooperativeKernel(function, 1, 1, 1, 2, 1, 1, 0, 0, spare)),
                          ask(cu.cuCtxSynchronize()),
                          ctypes.string_at(a, 4).hex()]
