"""Calls that look one fact up, side by side: forward, back, the copy to the host, cuMemGetAddressRange and cuMemHostGetFlags, for each
kind of memory; and addresses that a kernel made."""
import ctypes
import errno
import mmap
import os

import numpy as np
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, outcome, where
from ...helpers.kernels import i32
from ...helpers.memory_kinds import KINDS, access, location, make
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute


def of_a_host_pool(device_may):
    props = cu.CUmemPoolProps()
    props.allocType, props.location = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED, location("host numa")
    pool = must(cu.cuMemPoolCreate(props))
    if device_may:
        must(cu.cuMemPoolSetAccess(pool, [access("read and write")], 1))
    address = int(must(cu.cuMemAllocFromPoolAsync(65536, pool, 0)))
    must(cu.cuStreamSynchronize(0))
    return address


def five_answers(a, inside):
    """What each call says of the byte at `a + inside`."""
    address = a + inside
    start = lambda value: where(value, start=a)
    return [outcome(cu.cuMemHostGetDevicePointer(address, 0), as_=start),
            get_attribute(ATTRIBUTES["HOST_POINTER"], address)[0] or start(get_attribute(ATTRIBUTES["HOST_POINTER"], address)[1]),
            ask(cu.cuMemcpyDtoH(bytearray(1), address, 1)),
            (lambda result: ask(result) if int(result[0]) else [start(result[1]), int(result[2])])(cu.cuMemGetAddressRange(address)),
            outcome(cu.cuMemHostGetFlags(address))]


@question("forward, back, the copy, cuMemGetAddressRange and cuMemHostGetFlags, of each kind of memory", alone=True)
def five_calls():
    for kind in KINDS:
        for inside in (0, 100):
            yield f"{kind}: byte {inside}", lambda kind=kind, inside=inside: five_answers(make(kind).address, inside)
    for label, may in (("host pool, access for the device", True), ("host pool", False)):
        for inside in (0, 100):
            yield f"{label}: byte {inside}", lambda may=may, inside=inside: five_answers(of_a_host_pool(may), inside)


@question("a host pool's memory after it was freed, and in a second context", alone=True)
def host_pool_more():
    a = of_a_host_pool(True)
    yield "DEVICE_POINTER inside", (lambda result: result[0] or where(result[1], start=a))(get_attribute(ATTRIBUTES["DEVICE_POINTER"], a + 100))
    yield "register it", ask(cu.cuMemHostRegister(a, 4096, 0))
    yield "copied as the host side", ask(cu.cuMemcpyHtoD(must(cu.cuMemAlloc(64)), a, 64))
    must(cu.cuMemFreeAsync(a, 0))
    must(cu.cuStreamSynchronize(0))
    yield "freed", five_answers(a, 0)


@question("an address that a kernel made: base pair and arithmetic give the host's, and back gives it as well", alone=True)
def made_by_a_kernel():
    nodes_host = int(must(cu.cuMemHostAlloc(4096, 0)))
    list_host = int(must(cu.cuMemHostAlloc(4096, 0)))
    nodes, head = (int(must(cu.cuMemHostGetDevicePointer(p, 0))) for p in (nodes_host, list_host))
    must(kernels.run("list_of", head, nodes, i32(4)))
    addresses = np.ctypeslib.as_array((ctypes.c_uint64 * 4).from_address(list_host)).tolist()
    yield "distances from the base", [address - nodes for address in addresses]
    yield "base pair and arithmetic", [address - nodes + nodes_host == nodes_host + 8 * i for i, address in enumerate(addresses)]
    yield "back", [where(get_attribute(ATTRIBUTES["HOST_POINTER"], address)[1], nodes=nodes_host) for address in addresses]
    yield "range", [(lambda f: [where(f[1], nodes=nodes_host), int(f[2])])(cu.cuMemGetAddressRange(address)) for address in addresses]


@question("a dma-buf of device memory is not mapped by the host", varies="whether the device has DMA_BUF_MMAP_SUPPORTED")
def dma_buf_and_mmap():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    size = 2 << 20
    kind = cu.CUmemRangeHandleType.CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD
    for attribute in (124, 150, 151, 152, 153):     # 124: DMA_BUF_SUPPORTED; 152: DMA_BUF_MMAP_SUPPORTED, from CUDA 13.3
        out = ctypes.c_int(-1)
        code = ctypes.CDLL("libcuda.so.1").cuDeviceGetAttribute(ctypes.byref(out), attribute, 0)
        yield f"attribute {attribute}", [cu.CUresult(code).name, out.value]
    for label, address in (("device", int(must(cu.cuMemAlloc(size)))), ("mapped", make("mapped").address), ("pinned", int(must(cu.cuMemHostAlloc(size, 0)))),
                           ("managed", int(must(cu.cuMemAllocManaged(size, 1))))):
        result = cu.cuMemGetHandleForAddressRange(address, size, kind, 0)
        if int(result[0]):
            yield label, ask(result)
            continue
        for way, flags in (("shared", mmap.MAP_SHARED), ("private", mmap.MAP_PRIVATE)):
            ctypes.set_errno(0)
            at = libc.mmap(None, size, mmap.PROT_READ, flags, int(result[1]), 0)
            failed = at == ctypes.c_void_p(-1).value
            yield f"{label}: {way}", ["errno", ctypes.get_errno(), errno.errorcode.get(ctypes.get_errno(), "ENOTSUPP of the kernel")] if failed else "mapped"
        os.close(int(result[1]))
