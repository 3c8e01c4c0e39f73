"""Words for two devices: a context on each, blocks on either, kernels that reach across.

    first, second = two_contexts()    # the first is current
    with using(second): a = make("device").address
    kernel_read(a)                    # a kernel on the current context's device reads it
"""
from cuda.bindings import driver as cu

from . import kernels
from .between import number, word
from .calls import ask, must, name, new_context, outcome, pattern, using, write
from .kernels import i32
from .memory_kinds import LARGE, SMALL, MemoryOfKind, access, make, properties, reserve
from .pointer_attributes import ATTRIBUTES, get_attribute
from .processes import OtherProcess

DEVICES = (0, 1)
KINDS = ("device", "device, 3 MiB", "stream-ordered", "mapped", "managed", "pinned", "registered", "module variable", "constant variable", "kernel heap")
LEFT_OUT = ("CONTEXT", "MAPPING_BASE_ADDR", "MAPPING_SIZE", "P2P_TOKENS")


def two_contexts():
    """A context of device 0, which is current, and one of device 1."""
    first = must(cu.cuCtxGetCurrent())
    second = new_context(ordinal=1)
    must(cu.cuCtxPopCurrent())
    return first, second


def make_on(context, kind):
    """A block of any kind, made with this context current. Virtual memory is located on the context's device."""
    with using(context):
        return mapped_on(int(must(cu.cuCtxGetDevice()))) if kind == "mapped" else make(kind)


def mapped_on(ordinal, rights=None, size=LARGE):
    """Virtual memory on a device, with rights for devices by number: by default all for its own."""
    address, handle = reserve(size), must(cu.cuMemCreate(size, properties(ordinal=ordinal), 0))
    must(cu.cuMemMap(address, size, 0, handle, 0))
    for ordinal_, right in ({ordinal: "read and write"} if rights is None else rights).items():
        must(cu.cuMemSetAccess(address, size, [access(right, ordinal=ordinal_)], 1))
    return MemoryOfKind("mapped", address, size, handle=handle)


@word
def kernel_read(address, stream=0):
    """Does a kernel in the current context read a byte there? The code."""
    out = must(cu.cuMemAlloc(64))
    return ask(kernels.run("peek", address, int(out), stream=stream))


@word
def kernel_write(address, value=7):
    """Does it write one?"""
    return ask(kernels.run("poke", address, i32(value)))


@word
def enable(peer):
    return ask(cu.cuCtxEnablePeerAccess(peer, 0))


@word
def disable(peer):
    return ask(cu.cuCtxDisablePeerAccess(peer))


@word
def copied_bytes(address, size=4):
    """What a copy brings from there: hexadecimal, or the error's name."""
    buffer = bytearray(size)
    code = ask(cu.cuMemcpyDtoH(buffer, address, size))
    return buffer.hex() if code == "SUCCESS" else code


@word
def copy_code_at(address, size=4):
    """The code alone, where the content is anything."""
    return ask(cu.cuMemcpyDtoH(bytearray(size), address, size))


def ordinal_of(label):
    code, value, _ = get_attribute(ATTRIBUTES["DEVICE_ORDINAL"], number(label))
    return name(code) if code else int.from_bytes((value & 0xFFFFFFFF).to_bytes(4, "little"), "little", signed=True)


def ordinal(address):
    code, value, _ = get_attribute(ATTRIBUTES["DEVICE_ORDINAL"], address)
    return name(code) if code else value & 0xFF


def on(context, work, *arguments):
    with using(context):
        return work(*arguments)


def pooled(pool, size=4096, stream=0, seed=1):
    """Memory of a pool, with known bytes in it."""
    address = int(must(cu.cuMemAllocFromPoolAsync(size, pool, stream)))
    must(cu.cuStreamSynchronize(stream))
    must(cu.cuMemcpyHtoD(address, pattern(64, seed), 64)), must(cu.cuCtxSynchronize())
    return address


def block_on(context, seed=1, size=SMALL):
    """Device memory with a pattern; its address."""
    with using(context):
        a = int(must(cu.cuMemAlloc(size)))
        must(cu.cuMemsetD8(a, 0, size))
        write(a, pattern(min(size, 64), seed))
        must(cu.cuCtxSynchronize())
    return a


def without_context(work):
    context = must(cu.cuCtxPopCurrent())
    answer = work()
    must(cu.cuCtxPushCurrent(context))
    return answer


def init_and_devices(names=None):
    """cuInit, how many devices there are, and which: numbers of those that are seen without the variable."""
    code = ask(cu.cuInit(0))
    if code != "SUCCESS":
        return [code, outcome(cu.cuDeviceGetCount())]
    uuids = [bytes(must(cu.cuDeviceGetUuid(ordinal)).bytes).hex() for ordinal in range(must(cu.cuDeviceGetCount()))]
    return uuids if names is None else [code, len(uuids), [names.index(uuid) if uuid in names else "another" for uuid in uuids]]


def all_devices():
    return OtherProcess(None, CUDA_VISIBLE_DEVICES=None).ask(init_and_devices)
