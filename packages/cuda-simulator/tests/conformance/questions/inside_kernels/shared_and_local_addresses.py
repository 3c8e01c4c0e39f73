"""Addresses of shared and local memory that leave the block or the thread which they belong to."""
import numpy as np
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, name, pattern, read
from ...helpers.inside_kernels import at_address, kernel, own_memory
from ...helpers.kernels import i32
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute

ADDRESSES = ("shared", "local", "grid constant", "parameter")
NOBODY = "what a kernel finds there, nobody wrote"


def _read_or_code(answer):
    return answer if isinstance(answer, str) else "read"


def passed_on(kind, grid=2, block=64):
    out = int(must(cu.cuMemAlloc(4 * grid * block)))
    must(kernels.run(kernel("pass_on"), i32(kind), out, grid=grid, block=block))
    return np.frombuffer(read(out, 4 * grid * block), np.int32).reshape(grid, block).tolist()


@question("a shared address, left in device memory and followed by another block, leads to that block's own memory")
def another_block():
    contents = passed_on(0)
    return [sorted(set(row)) for row in contents]


@question("a local address, left in device memory and followed by another thread, leads to that thread's own memory")
def another_thread():
    contents = passed_on(1)
    return [contents[0][0], contents[0][1], contents[0][40], contents[1][0], contents[1][63]]


@question("a shared address in a later kernel that has as much shared memory leads into that kernel's own")
def later_kernel():
    address = own_memory("shared", "address")
    yield "with as much", at_address(address, "read", "given_shared", 2048) in range(800, 800 + 512)
    yield "it can write there", at_address(address, "write", "given_shared", 2048)


@question("a shared address in a later kernel that has less shared memory, or none", varies={"a little": "what is given is rounded up"})
def later_kernel_with_less():
    address = own_memory("shared", "address", offset=200)
    far = own_memory("shared", "address", offset=40_000)
    yield "none", lambda: _read_or_code(at_address(far, "read"))
    yield "a little", lambda: _read_or_code(at_address(address, "read", "given_shared", 16))
    yield "a little, far past it", lambda: _read_or_code(at_address(far, "read", "given_shared", 16))
    yield "enough", lambda: _read_or_code(at_address(far, "read", "given_shared", 48_000))


@question("a shared address in a kernel that never mentions shared memory", stricter="the hardware keeps a piece for itself, and rounds up")
def kernel_without_shared():
    address = own_memory("shared", "address")
    yield "read", lambda: _read_or_code(at_address(address, "read"))
    yield "write", lambda: at_address(address, "write")


@question("a shared address as a pointer parameter: the compiler takes it for global memory")
def pointer_parameter():
    address = own_memory("shared", "address")
    out = int(must(cu.cuMemAlloc(64)))
    yield "read", lambda: ask(kernels.run("peek_int", address, out))
    yield "write", lambda: ask(kernels.run("poke", address, i32(1)))


@question("a local address in a later kernel that has local memory", varies=NOBODY)
def later_local():
    address = own_memory("local", "address")
    yield "with local memory", lambda: _read_or_code(at_address(address, "read", "given_local"))
    yield "without", lambda: _read_or_code(at_address(address, "read"))


@question("the address of a parameter in a later kernel", varies=NOBODY)
def later_parameter():
    for kind in ("grid constant", "parameter"):
        address = own_memory(kind, "address")
        yield kind, lambda: _read_or_code(at_address(address, "read"))


@question("a kernel's heap address leads to the same memory in a later kernel")
def later_heap():
    address = own_memory("kernel heap", "address")
    yield "write", at_address(address, "write")
    yield "read", at_address(address, "read", "given_shared", 64)


@question("no attribute of a shared or local address is known to the driver")
def attributes():
    for kind in ADDRESSES:
        address = own_memory(kind, "address")
        for attribute in ("MEMORY_TYPE", "DEVICE_POINTER", "HOST_POINTER", "CONTEXT", "RANGE_START_ADDR", "BUFFER_ID", "MAPPED", "IS_MANAGED"):
            yield f"{kind}: {attribute}", lambda: name(get_attribute(ATTRIBUTES[attribute], address)[0])


@question("no range is known at a shared or local address")
def ranges():
    for kind in ADDRESSES:
        address = own_memory(kind, "address")
        yield kind, lambda: ask(cu.cuMemGetAddressRange(address))


@question("the host's copies refuse a shared or local address")
def copies():
    for kind in ADDRESSES:
        address = own_memory(kind, "address")
        yield f"{kind}: from", lambda: ask(cu.cuMemcpyDtoH(bytearray(4), address, 4))
        yield f"{kind}: to", lambda: ask(cu.cuMemcpyHtoD(address, pattern(4), 4))
        yield f"{kind}: device to device", lambda: _copy_between(address)


def _copy_between(address):
    return ask(cu.cuMemcpyDtoD(int(must(cu.cuMemAlloc(64))), address, 4))


@question("the copy that finds out itself takes such an address for one of the host's, and the process ends")
def unified_copy():
    for kind in ("shared", "local"):
        address = own_memory(kind, "address")
        yield kind, lambda: ask(cu.cuMemcpy(int(must(cu.cuMemAlloc(64))), address, 4))


@question("a memset at a shared or local address", alone=True)
def memsets():
    for kind in ("shared", "local"):
        address = own_memory(kind, "address")
        yield kind, lambda: [ask(cu.cuMemsetD8(address, 1, 4)), ask(cu.cuCtxSynchronize())]


@question("a shared or local address can not be freed, nor registered, nor asked for its device's side")
def other_calls():
    for kind in ("shared", "local"):
        address = own_memory(kind, "address")
        yield f"{kind}: cuMemFree", lambda: ask(cu.cuMemFree(address))
        yield f"{kind}: cuMemFreeHost", lambda: ask(cu.cuMemFreeHost(address))
        yield f"{kind}: cuMemHostRegister", lambda: ask(cu.cuMemHostRegister(address, 4096, 0))
        yield f"{kind}: cuMemHostGetDevicePointer", lambda: ask(cu.cuMemHostGetDevicePointer(address, 0))
        yield f"{kind}: cuMemHostGetFlags", lambda: ask(cu.cuMemHostGetFlags(address))


@question("after a kernel that followed a wrong address, the error names no space: 700 for any of them")
def one_error():
    for space, offset in (("shared", 8 << 20), ("local", 8 << 20)):
        address = own_memory(f"start of the {space} window", "address", offset)
        yield space, lambda: at_address(address, "read")
        yield f"{space}, write", lambda: at_address(address, "write")
    yield "global", lambda: at_address(1 << 40, "read")
