"""Execute a written sequence with cuda.bindings, and say each answer without addresses.

An answer is a list: the code's name, then what the call gave out. Two answers stand for a call that was not made or
is not compared: UNSET (an argument was never made, since the call that should have made it failed) and REUSED (a
freed address is now part of something else: what the call does then depends on which addresses the driver gives).
"""
import ctypes

import numpy as np
from cuda.bindings import driver as cu

from ..helpers import managed_memory as mm
from ..helpers.calls import name
from ..helpers.memory_kinds import access, location, pages, properties, unmap

UNSET, REUSED = ["unset"], ["reused"]

FILL = b""".version 7.0
.target sm_75
.address_size 64
.visible .entry fill(.param .u64 p, .param .u32 v, .param .u32 n) {
    .reg .pred %q; .reg .b64 %a; .reg .b32 %r<3>;
    ld.param.u64 %a, [p]; ld.param.u32 %r1, [v]; ld.param.u32 %r2, [n];
loop:
    st.u8 [%a], %r1;
    add.u64 %a, %a, 1; add.u32 %r1, %r1, 1; sub.u32 %r2, %r2, 1;
    setp.ne.u32 %q, %r2, 0;
    @%q bra loop;
    ret;
}
\0"""


class Unset(Exception):
    pass


class Reused(Exception):
    pass


class Executor:
    """`recording` asks the driver itself whether a freed address is known again (by memory the sequence knows nothing of)."""

    def __init__(self, recording=False):
        self.recording = recording
        self.values = {}     # name -> address or handle
        self.sizes = {}      # name -> bytes, of things with an address
        self.owners = {}     # name -> context
        self.dead = set()
        self.modules = {}

    def answer(self, call):
        verb, *arguments = call
        try:
            return getattr(self, verb.replace(" ", "_"), lambda *a: self.plain(verb, *a))(*arguments)
        except Unset:
            return UNSET
        except Reused:
            return REUSED
        except Exception as error:    # a defect of this suite, or of cuda.bindings: the rest of the sequence still counts
            return [f"raised {type(error).__name__}: {error}"]

    # -- arguments and outcomes ----------------------------------------------------------------------------------

    def value(self, label):
        if label not in self.values:
            raise Unset
        value = self.values[label]
        if label in self.dead and any(value == other for n, other in self.values.items() if n not in self.dead and n[0] == label[0]):
            raise Reused
        return value

    def address(self, place, span=1):
        label, offset = place
        if label not in self.values:
            raise Unset
        address = self.values[label] + offset
        if label in self.dead:
            for other, size in self.sizes.items():
                if other != label and other not in self.dead and self.values[other] < address + span and address < self.values[other] + size:
                    raise Reused
        if label in self.dead and self.recording:
            if not int(cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address)[0]):
                raise Reused
        return address

    def current(self):
        return int(cu.cuCtxGetCurrent()[1] or 0)

    def keep(self, label, result, size=None):
        """Remember what a call made."""
        if not int(result[0]) and label != "none":
            self.values[label] = int(result[1])
            self.owners[label] = self.current()
            if size is not None:
                self.sizes[label] = size
        return [name(result[0])]

    def bury(self, address, kinds):
        for label, value in self.values.items():
            if value == address and label[0] in kinds:
                self.dead.add(label)

    def code_and(self, result, *values):
        return [name(result[0]), *(values if not int(result[0]) else ())]

    def _code_when_done(self, result):
        """The code of work that this context's NULL stream may still be at: streams of other contexts do not wait for it."""
        cu.cuCtxSynchronize()
        return self.code_and(result)

    def where(self, address, place):
        """An address that a call gave out, relative to the start of what was asked about."""
        address = int(address or 0)    # None where the call failed
        return "null" if not address else address - self.values[place[0]]

    def plain(self, verb, *arguments):
        """A call on handles that gives out nothing, or numbers."""
        result = getattr(cu, verb)(*[self.value(a) if isinstance(a, str) else a for a in arguments])
        return [name(result[0]), *([int(v) for v in result[1:]] if not int(result[0]) else ())]

    # -- contexts ------------------------------------------------------------------------------------------------

    def cuCtxCreate(self, label, flags):
        return self.keep(label, cu.cuCtxCreate(None, flags, 0))

    def _which(self, result):
        contexts = [n for n, v in self.values.items() if n[0] == "c" and v == int(result[1] or 0) and n not in self.dead]
        return self.code_and(result, contexts[0] if contexts else "destroyed" if int(result[1] or 0) else "null")

    def cuCtxGetCurrent(self):
        return self._which(cu.cuCtxGetCurrent())

    def cuCtxPopCurrent(self):
        return self._which(cu.cuCtxPopCurrent())

    def cuCtxDestroy(self, label):
        context = self.value(label)
        result = cu.cuCtxDestroy(context)
        if not int(result[0]):
            self.dead |= {n for n, owner in self.owners.items() if owner == context and n[0] in "dpmse"} | {label}
            self.modules.pop(context, None)
        return self.code_and(result)

    def cuCtxSetLimit(self, number, value):
        return self.code_and(cu.cuCtxSetLimit(cu.CUlimit(number), value))

    def cuCtxGetLimit(self, number):
        result = cu.cuCtxGetLimit(cu.CUlimit(number))
        return self.code_and(result, int(result[1] or 0) if not int(result[0]) else 0)

    # -- memory --------------------------------------------------------------------------------------------------

    def pages(self, label, size):
        self.values[label], self.sizes[label] = pages(size), size
        ctypes.memset(self.values[label], 0x40 + len(label), size)
        return ["SUCCESS"]

    def cuMemAlloc(self, label, size):
        return self.keep(label, cu.cuMemAlloc(size), size)

    def cuMemAllocAsync(self, label, size):
        result = cu.cuMemAllocAsync(size, 0)
        cu.cuStreamSynchronize(0)
        return self.keep(label, result, size)

    def cuMemHostAlloc(self, label, size, flags):
        return self.keep(label, cu.cuMemHostAlloc(size, flags), size)

    def cuMemAllocManaged(self, label, size, flags):
        return self.keep(label, cu.cuMemAllocManaged(size, flags), size)

    def cuMemFree(self, place):
        return self._free(cu.cuMemFree, place, "dmq")

    def cuMemFreeHost(self, place):
        return self._free(cu.cuMemFreeHost, place, "p")

    def cuMemFreeAsync(self, place):
        return self._free(lambda a: cu.cuMemFreeAsync(a, 0), place, "dq")

    def _free(self, call, place, kinds):
        address = self.address(place)
        result = call(address)
        if not int(result[0]):
            cu.cuCtxSynchronize()
            self.bury(address, kinds)
        return self.code_and(result)

    def cuMemHostRegister(self, place, size, flags):
        return self.code_and(cu.cuMemHostRegister(self.address(place), size, flags))

    def cuMemHostUnregister(self, place):
        return self.code_and(cu.cuMemHostUnregister(self.address(place)))

    def cuMemHostGetFlags(self, place):
        result = cu.cuMemHostGetFlags(self.address(place))
        return self.code_and(result, result[1])

    def cuMemHostGetDevicePointer(self, place, flags):
        result = cu.cuMemHostGetDevicePointer(self.address(place), flags)
        return self.code_and(result, self.where(result[1], place))

    def cuMemGetAddressRange(self, place):
        result = cu.cuMemGetAddressRange(self.address(place))
        return self.code_and(result, self.where(result[1], place), int(result[2] or 0))

    def cuPointerGetAttribute(self, attribute, place):
        number = int(getattr(cu.CUpointer_attribute, f"CU_POINTER_ATTRIBUTE_{attribute}"))
        out = ctypes.c_uint64(0)
        code = ctypes.CDLL("libcuda.so.1").cuPointerGetAttribute(ctypes.byref(out), ctypes.c_int(number), ctypes.c_uint64(self.address(place)))
        return [name(code)] if code else [name(code), self._attribute(attribute, out.value, place)]

    def cuPointerGetAttributes(self, attribute, place):
        number = int(getattr(cu.CUpointer_attribute, f"CU_POINTER_ATTRIBUTE_{attribute}"))
        out = ctypes.c_uint64(0)
        code = ctypes.CDLL("libcuda.so.1").cuPointerGetAttributes(ctypes.c_uint(1), (ctypes.c_int * 1)(number),
                                                                  (ctypes.c_void_p * 1)(ctypes.addressof(out)), ctypes.c_uint64(self.address(place)))
        return [name(code)] if code else [name(code), self._attribute(attribute, out.value, place)]

    def _attribute(self, attribute, value, place):
        if attribute == "CONTEXT":
            contexts = [n for n, v in self.values.items() if n[0] == "c" and v == value and n not in self.dead]
            return contexts[0] if contexts else "null" if not value else "other"
        if attribute in ("DEVICE_POINTER", "HOST_POINTER", "RANGE_START_ADDR"):
            return self.where(value, place)
        return value

    def cuPointerSetAttribute(self, place):
        return self.code_and(cu.cuPointerSetAttribute(True, cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, self.address(place)))

    # -- contents ------------------------------------------------------------------------------------------------

    def _memset(self, call, place, value, count, stream=None):
        width = {"8": 1, "6": 2, "2": 4}[call.__name__.removesuffix("Async")[-1]]
        address = self.address(place, max(count * width, 1))
        return self._code_when_done(call(address, value, count, *([self.value(stream)] if stream else [])))

    def cuMemsetD8(self, *a):
        return self._memset(cu.cuMemsetD8, *a)

    def cuMemsetD16(self, *a):
        return self._memset(cu.cuMemsetD16, *a)

    def cuMemsetD32(self, *a):
        return self._memset(cu.cuMemsetD32, *a)

    def cuMemsetD8Async(self, *a):
        return self._memset(cu.cuMemsetD8Async, *a)

    def cuMemsetD16Async(self, *a):
        return self._memset(cu.cuMemsetD16Async, *a)

    def cuMemsetD32Async(self, *a):
        return self._memset(cu.cuMemsetD32Async, *a)

    def _copy(self, call, to, source, size, stream=None):
        arguments = [self.address(to, max(size, 1)), self.address(source, max(size, 1)), size]
        return self._code_when_done(call(*arguments, *([self.value(stream)] if stream else [])))

    def cuMemcpy(self, *a):
        self._host_side(a[0], a[1])
        return self._copy(cu.cuMemcpy, *a)

    def cuMemcpyAsync(self, *a):
        self._host_side(a[0], a[1])
        return self._copy(cu.cuMemcpyAsync, *a)

    def cuMemcpyHtoD(self, to, source, size):
        self._host_side(source)
        return self._copy(cu.cuMemcpyHtoD, to, source, size)

    def cuMemcpyDtoH(self, to, source, size):
        self._host_side(to)
        return self._copy(cu.cuMemcpyDtoH, to, source, size)

    def cuMemcpyDtoD(self, *a):
        return self._copy(cu.cuMemcpyDtoD, *a)

    def _host_side(self, *places):
        """A GPU's driver follows an unknown host address, to a segmentation fault: only what is there may be one."""
        for place in places:
            if place[0] in self.dead:
                raise Unset
            if place[0][0] == "v" and int(cu.cuMemGetAccess(location(), self.address(place))[1] or 0) != 3:
                raise Unset

    def read(self, place, size):
        self._host_side(place)
        address = self.address(place, size)
        if place[0][0] == "b":
            return ["SUCCESS", ctypes.string_at(address, size).hex()]
        buffer = bytearray(size)
        result = cu.cuMemcpyDtoH(buffer, address, size)
        return self.code_and(result, buffer.hex())

    def fill(self, place, value, size):
        """A kernel that writes value, value + 1, ... to `size` bytes."""
        address = self.address(place, size)
        if place[0] in self.dead or (place[0][0] == "v" and int(cu.cuMemGetAccess(location(), address)[1] or 0) != 3):
            raise Unset
        context = self.current()
        if not context or context not in self.modules:
            result = cu.cuModuleLoadData(FILL)
            if int(result[0]):
                return self.code_and(result)
            self.modules[context] = result[1]
        function = cu.cuModuleGetFunction(self.modules[context], b"fill")
        if int(function[0]):
            return self.code_and(function)
        arguments = [np.array([address], np.uint64), np.array([value], np.uint32), np.array([size], np.uint32)]
        pointers = np.array([a.ctypes.data for a in arguments], np.uint64)
        result = cu.cuLaunchKernel(function[1], 1, 1, 1, 1, 1, 1, 0, 0, pointers.ctypes.data, 0)
        return [name(result[0]), name(cu.cuCtxSynchronize()[0])]

    # -- virtual memory management -------------------------------------------------------------------------------

    def cuMemAddressReserve(self, label, size, alignment):
        return self.keep(label, cu.cuMemAddressReserve(size, alignment, 0, 0), size)

    def cuMemCreate(self, label, size, place):
        return self.keep(label, cu.cuMemCreate(size, properties(place), 0))

    def cuMemMap(self, place, size, offset, handle, flags):
        return self.code_and(cu.cuMemMap(self.address(place), size, offset, self.value(handle), flags))

    def cuMemSetAccess(self, place, size, rights, who):
        return self.code_and(cu.cuMemSetAccess(self.address(place), size, [access(rights, who)], 1))

    def cuMemGetAccess(self, place):
        result = cu.cuMemGetAccess(location(), self.address(place))
        return self.code_and(result, int(result[1] or 0))

    def cuMemUnmap(self, place, size):
        cu.cuCtxSynchronize()    # unmapping under work that is not done is not defined
        return self.code_and(cu.cuMemUnmap(self.address(place, max(size, 1)), size))

    def cuMemRelease(self, handle):
        return self.code_and(cu.cuMemRelease(self.value(handle)))

    def cuMemRetainAllocationHandle(self, place):
        result = cu.cuMemRetainAllocationHandle(self.address(place))
        if not int(result[0]):
            cu.cuMemRelease(result[1])
        return self.code_and(result)

    def retain_and_release(self, place, handle):
        result = cu.cuMemRetainAllocationHandle(self.address(place))
        if int(result[0]):
            return self.code_and(result)
        return [name(result[0]), int(result[1]) == self.value(handle), name(cu.cuMemRelease(result[1])[0])]

    def cuMemAddressFree(self, place, size):
        address = self.address(place)
        cu.cuCtxSynchronize()
        result = cu.cuMemAddressFree(address, size)
        if not int(result[0]):
            self.bury(address, "v")
        return self.code_and(result)

    # -- managed memory ------------------------------------------------------------------------------------------

    def _stream(self, label):
        if label is None:
            return 0
        self._living(label)
        return self.value(label)

    def _code_after_stream(self, code, stream):
        cu.cuStreamSynchronize(stream)
        return [code]

    def cuMemAdvise(self, place, size, advice, where_to):
        return [mm.advise(self.address(place, max(size, 1)), size, advice, where_to)]

    def cuMemPrefetchAsync(self, place, size, where_to, flags, stream):
        stream = self._stream(stream)
        return self._code_after_stream(mm.prefetch(self.address(place, max(size, 1)), size, where_to, flags, stream), stream)

    def batch(self, verb, place, size, where_to, stream):
        stream = self._stream(stream)
        return self._code_after_stream(mm.batch(verb, [self.address(place, max(size, 1))], [size], [where_to], stream=stream), stream)

    def cuMemRangeGetAttribute(self, number, place, size, room):
        return [mm.attribute(number, self.address(place, max(size, 1)), size, room, 3)]

    def range(self, place, size):
        """All that a range says of itself."""
        return [mm.facts(self.address(place, max(size, 1)), size)]

    def cuStreamAttachMemAsync(self, stream, place, length, flags):
        stream = self._stream(stream)
        result = cu.cuStreamAttachMemAsync(stream, self.address(place), length, flags)
        return self._code_after_stream(name(result[0]), stream)

    def _by_the_host(self, place):
        """The address of managed memory that is there: of any other, the host's access would end the process."""
        if place[0] in self.dead:
            raise Unset
        return self.address(place)

    def host_write(self, place, value, size):
        mm.host_write(self._by_the_host(place), value, size)
        return ["SUCCESS"]

    def host_read(self, place, size):
        return ["SUCCESS", ctypes.string_at(self._by_the_host(place), size).hex()]

    def managed_pool(self, label, where_to):
        properties_, pool = cu.CUmemPoolProps(), ctypes.c_uint64(0)
        kind, ordinal = mm.PLACES[where_to]
        if kind > 4:    # cuda.bindings has no such type: a node that is not there either
            kind, ordinal = 3, 99
        properties_.location = location()
        properties_.location.type, properties_.location.id = cu.CUmemLocationType(kind), ordinal
        ctypes.c_int.from_address(properties_.getPtr()).value = 2    # CU_MEM_ALLOCATION_TYPE_MANAGED, which CUDA 12 has no name for
        code = ctypes.CDLL("libcuda.so.1").cuMemPoolCreate(ctypes.byref(pool), ctypes.c_void_p(properties_.getPtr()))
        return self.keep(label, (code, pool.value))

    def cuMemAllocFromPoolAsync(self, label, size, pool):
        self._living(pool)
        result = cu.cuMemAllocFromPoolAsync(size, self.value(pool), 0)
        cu.cuStreamSynchronize(0)
        return self.keep(label, result, size)

    def cuMemPoolTrimTo(self, pool, keep):
        self._living(pool)
        return self.code_and(cu.cuMemPoolTrimTo(self.value(pool), keep))

    def cuMemPoolGetAccess(self, pool, who):
        self._living(pool)
        result = cu.cuMemPoolGetAccess(self.value(pool), location(who))
        return self.code_and(result, int(result[1] or 0))

    def pool_threshold(self, pool, size):
        self._living(pool)
        attribute = cu.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
        result = cu.cuMemPoolSetAttribute(self.value(pool), attribute, cu.cuuint64_t(size))
        threshold = cu.cuMemPoolGetAttribute(self.value(pool), attribute)
        return self.code_and(result, int(threshold[1]) if not int(threshold[0]) else name(threshold[0]))

    def cuMemPoolDestroy(self, pool):
        self._living(pool)
        result = cu.cuMemPoolDestroy(self.value(pool))
        if not int(result[0]):
            self.dead.add(pool)
        return self.code_and(result)

    # -- streams and events --------------------------------------------------------------------------------------

    def cuStreamCreate(self, label, flags):
        return self.keep(label, cu.cuStreamCreate(flags))

    def cuEventCreate(self, label, flags):
        return self.keep(label, cu.cuEventCreate(flags))

    def _living(self, *labels):
        """A GPU's driver crashes on destroyed streams, and on events it may have given out again."""
        for label in labels:
            if label in self.dead:
                raise Unset

    def plain_on_living(self, verb, *labels):
        self._living(*[t for t in labels if isinstance(t, str)])
        return self.plain(verb, *labels)

    def cuStreamDestroy(self, label):
        self._living(label)
        result = cu.cuStreamDestroy(self.value(label))
        if not int(result[0]):
            self.dead.add(label)
        return self.code_and(result)

    def cuEventDestroy(self, label):
        self._living(label)
        result = cu.cuEventDestroy(self.value(label))
        if not int(result[0]):
            self.dead.add(label)
        return self.code_and(result)

    def cuEventElapsedTime(self, a, b):
        self._living(a, b)
        return self.code_and(cu.cuEventElapsedTime(self.value(a), self.value(b)))

    def close(self):
        """Give everything back, whatever the sequence left."""
        for label, value in self.values.items():
            if label[0] == "c" and label not in self.dead:
                cu.cuCtxDestroy(value)
        for _ in range(200):
            if int(cu.cuCtxPopCurrent()[0]):
                break
        for label, value in self.values.items():
            if label[0] == "o" and label not in self.dead:
                cu.cuMemPoolDestroy(value)
            elif label[0] == "v" and label not in self.dead:
                cu.cuMemUnmap(value, self.sizes[label])
                cu.cuMemAddressFree(value, self.sizes[label])
            elif label[0] == "b":
                unmap(value, self.sizes[label])


for _verb in ("cuStreamSynchronize", "cuStreamGetFlags", "cuStreamGetPriority", "cuEventSynchronize", "cuEventQuery", "cuEventRecord",
              "cuStreamWaitEvent"):
    setattr(Executor, _verb, lambda self, *labels, _verb=_verb: self.plain_on_living(_verb, *labels))


def execute(calls, recording=False):
    """Yield (number of the call, answer)."""
    executor = Executor(recording)
    try:
        for number, call in enumerate(calls):
            yield str(number), executor.answer(call)
    finally:
        executor.close()
