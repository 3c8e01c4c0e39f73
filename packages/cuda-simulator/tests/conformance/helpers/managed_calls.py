"""Calls about managed memory that more than one module of questions makes.

Not here: blocks, places, advice and prefetches (managed_memory.py).
"""
import ctypes

from cuda.bindings import driver as cu

from . import managed_memory as mm
from .calls import ask, must, raw
from .managed_memory import PAGE, advise, batch, fresh
from .pointer_attributes import ATTRIBUTES

GLOBAL, HOST, SINGLE = 1, 2, 4


def attach(stream, address, length=0, flags=SINGLE):
    """cuStreamAttachMemAsync past cuda.bindings; the code's name."""
    return raw("cuStreamAttachMemAsync", int(stream), int(address), length, flags)


def free_one():
    a = fresh()
    must(cu.cuMemFree(a))
    return a


def range_attributes(numbers, address, size, rooms=None, count=None):
    """cuMemRangeGetAttributes: [code, what is in each place]."""
    outs = [(ctypes.c_int * 4)(*[mm.UNTOUCHED] * 4) for _ in numbers]
    data = (ctypes.c_void_p * max(len(numbers), 1))(*[ctypes.addressof(out) for out in outs])
    lengths = (ctypes.c_size_t * max(len(numbers), 1))(*(rooms or [4] * len(numbers)))
    kinds = (ctypes.c_int * max(len(numbers), 1))(*numbers)
    code = raw("cuMemRangeGetAttributes", data, lengths, kinds, len(numbers) if count is None else count, address, size)
    return [code, *("not written" if out[0] == mm.UNTOUCHED else out[0] for out in outs)]


def every_call(a):
    """{name: call that gives a code} with managed memory at `a`, or what stands there."""
    cells, s = (ctypes.c_int * 4)(), 0
    start, size = ctypes.c_uint64(0), ctypes.c_uint64(0)
    return {"allocate": lambda: ask(cu.cuMemAllocManaged(PAGE, 1)),
            "advise": lambda: advise(a, PAGE, "SET_READ_MOSTLY"),
            "advise, the older": lambda: raw("cuMemAdvise", a, PAGE, 1, 0), "prefetch": lambda: mm.prefetch(a, PAGE),
            "prefetch, the older": lambda: raw("cuMemPrefetchAsync", a, PAGE, 0, s),
            "range": lambda: raw("cuMemRangeGetAttribute", cells, 4, mm.MOSTLY, a, PAGE),
            "ranges": lambda: raw("cuMemRangeGetAttributes", (ctypes.c_void_p * 1)(ctypes.addressof(cells)),
                                  (ctypes.c_size_t * 1)(4),
                                  (ctypes.c_int * 1)(1), 1, a, PAGE),
            "attach": lambda: raw("cuStreamAttachMemAsync", s, a, 0, 1), "memset": lambda: ask(cu.cuMemsetD8(a, 1, 4)),
            "copy from": lambda: ask(cu.cuMemcpyDtoH(bytearray(4), a, 4)),
            "copy to": lambda: ask(cu.cuMemcpyHtoD(a, b"abcd", 4)),
            "copy within": lambda: ask(cu.cuMemcpyDtoD(a + 8, a, 4)),
            "address range": lambda: raw("cuMemGetAddressRange_v2", ctypes.byref(start), ctypes.byref(size), a),
            "pointer attribute": lambda: raw("cuPointerGetAttribute", ctypes.byref(start), ATTRIBUTES["IS_MANAGED"], a),
            "set an attribute": lambda: raw("cuPointerSetAttribute", (ctypes.c_int * 1)(1), ATTRIBUTES["SYNC_MEMOPS"],
                                            a),
            "device pointer": lambda: ask(cu.cuMemHostGetDevicePointer(a, 0)),
            "host flags": lambda: ask(cu.cuMemHostGetFlags(a)),
            "register": lambda: ask(cu.cuMemHostRegister(a, PAGE, 0)),
            "unregister": lambda: ask(cu.cuMemHostUnregister(a)),
            **{verb: lambda verb=verb: batch(verb, [a], [PAGE], ["device"], stream=s)
               for verb in (mm.PREFETCH, mm.DISCARD, mm.BOTH)},
            "free later": lambda: ask(cu.cuMemFreeAsync(a, 0)), "free as pinned": lambda: ask(cu.cuMemFreeHost(a)),
            "free": lambda: ask(cu.cuMemFree(a))}
