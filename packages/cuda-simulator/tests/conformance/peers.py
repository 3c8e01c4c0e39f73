"""Words for two devices: a context on each, blocks on either, kernels that reach across.

    first, second = both()       # the first is current
    with using(second): a = make("device").address
    reached(a)                   # a kernel on the current context's device reads it
"""
from cuda.bindings import driver as cu

from . import kernels
from .between import word
from .calls import ask, must, name, new_context, using
from .kernels import i32
from .memory_kinds import LARGE, Block, access, make, properties, reserve
from .questions.pointer_attributes import ATTRIBUTES, get_attribute

DEVICES = (0, 1)


def both():
    """A context of device 0, which is current, and one of device 1."""
    first = must(cu.cuCtxGetCurrent())
    second = new_context(ordinal=1)
    must(cu.cuCtxPopCurrent())
    return first, second


def made_on(context, kind):
    """A block of any kind, made with this context current. Virtual memory is located on the context's device."""
    with using(context):
        return mapped_on(int(must(cu.cuCtxGetDevice()))) if kind == "mapped" else make(kind)


def mapped_on(ordinal, rights=None, size=LARGE):
    """Virtual memory on a device, with rights for devices by number: by default all for its own."""
    address, handle = reserve(size), must(cu.cuMemCreate(size, properties(ordinal=ordinal), 0))
    must(cu.cuMemMap(address, size, 0, handle, 0))
    for who, right in ({ordinal: "read and write"} if rights is None else rights).items():
        must(cu.cuMemSetAccess(address, size, [access(right, ordinal=who)], 1))
    return Block("mapped", address, size, handle=handle)


@word
def reached(address, stream=0):
    """Does a kernel in the current context read a byte there? The code."""
    out = must(cu.cuMemAlloc(64))
    return ask(kernels.run("peek", address, int(out), stream=stream))


@word
def changed(address, value=7):
    """Does it write one?"""
    return ask(kernels.run("poke", address, i32(value)))


@word
def enable(peer):
    return ask(cu.cuCtxEnablePeerAccess(peer, 0))


@word
def disable(peer):
    return ask(cu.cuCtxDisablePeerAccess(peer))


@word
def found(address, size=4):
    """What a copy brings from there: hexadecimal, or the error's name."""
    buffer = bytearray(size)
    code = ask(cu.cuMemcpyDtoH(buffer, address, size))
    return buffer.hex() if code == "SUCCESS" else code


@word
def copied(address, size=4):
    """The code alone, where the content is anything."""
    return ask(cu.cuMemcpyDtoH(bytearray(size), address, size))


def known(address):
    """Does the driver know the address?"""
    return name(get_attribute(ATTRIBUTES["MEMORY_TYPE"], address)[0])
