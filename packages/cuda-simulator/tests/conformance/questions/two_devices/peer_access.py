"""Peer access: switched on and off between contexts of two devices."""

from cuda.bindings import driver as cu

from ...asking import two_device_question as question
from ...helpers.calls import ask, must, name, new_context, outcome, raw, using
from ...helpers.peers import copied_bytes, copy_code_at, disable, enable, kernel_read, kernel_write, make_on, on, two_contexts
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute


@question("each of two devices may reach the other's memory, and none its own as a peer")
def which_can():
    for ordinal, peer in ((0, 1), (1, 0), (0, 0), (1, 1), (0, 2), (2, 0), (-1, 0)):
        yield f"{ordinal} to {peer}", outcome(cu.cuDeviceCanAccessPeer(ordinal, peer))
        for attribute in cu.CUdevice_P2PAttribute:
            yield f"{ordinal} to {peer}, attribute {int(attribute)}", outcome(cu.cuDeviceGetP2PAttribute(attribute, ordinal, peer))
    yield "a null output", raw("cuDeviceCanAccessPeer", None, 0, 1)


@question("peer access is enabled once, and disabled once")
def enabling():
    first, second = two_contexts()
    yield "disable before", disable(second)
    yield "enable with flags", ask(cu.cuCtxEnablePeerAccess(second, 1))
    yield "enable", enable(second)
    yield "again", enable(second)
    yield "again with flags", ask(cu.cuCtxEnablePeerAccess(second, 1))
    yield "disable", disable(second)
    yield "disable again", disable(second)
    yield "enable after that", enable(second)
    yield "to itself", [enable(first), disable(first)]
    with using(second):
        yield "the way back", [disable(first), enable(first), enable(first), disable(first)]
    yield "the way there still", disable(second)
    yield "to null", [enable(0), disable(0)]
    must(cu.cuCtxPopCurrent())
    yield "without a context", [enable(second), disable(second)]


@question("peer access is enabled to one context of the other device, and reaches the memory of all of them")
def contexts_of_the_peer():
    first, second = two_contexts()
    third = new_context(ordinal=1)
    must(cu.cuCtxPopCurrent())
    a, b = make_on(second, "device").address, make_on(third, "device").address
    yield "enable to the one", enable(second)
    yield "its memory", kernel_read(a)
    yield "the other's", lambda: kernel_read(b)
    yield "enable to the other", enable(third)
    yield "disable the first", disable(second)
    yield "its memory then", lambda: kernel_read(a)
    yield "the other's then", lambda: kernel_read(b)


@question("a context's access is its own: a second context of the same device has none")
def per_context():
    first, second = two_contexts()
    a = make_on(second, "device").address
    yield "enable in the first", enable(second)
    yield "the first reaches", kernel_read(a)
    third = new_context()
    yield "a second context of device 0 reaches", lambda: kernel_read(a)
    yield "enable there", enable(second)
    yield "then", kernel_read(a)
    must(cu.cuCtxDestroy(third))
    yield "the first still", kernel_read(a)


@question("peer access goes one way")
def one_way():
    first, second = two_contexts()
    a, b = make_on(first, "device").address, make_on(second, "device").address
    yield "enable from 0 to 1", enable(second)
    yield "0 reads 1", [kernel_read(b), kernel_write(b, 3), copied_bytes(b, 1)]
    yield "1 reads 0", lambda: on(second, lambda: kernel_read(a))
    yield "1 writes 0", lambda: on(second, lambda: kernel_write(a))


@question("access that was disabled is gone")
def disabled():
    first, second = two_contexts()
    a = make_on(second, "device").address
    yield "enable, read, disable", [enable(second), kernel_read(a), disable(second)]
    yield "then", lambda: kernel_read(a)
    yield "a copy", copy_code_at(a)


@question("a peer that is destroyed takes its memory with it, and the access")
def destroyed():
    first, second = two_contexts()
    a = make_on(second, "device, 3 MiB").address
    enable(second)
    yield "destroy", ask(cu.cuCtxDestroy(second))
    yield "copy", copy_code_at(a)
    yield "enable to it", lambda: enable(second)
    yield "disable it", lambda: disable(second)
    third = new_context(ordinal=1)
    must(cu.cuCtxSetCurrent(first))
    b = make_on(third, "device, 3 MiB").address
    yield "a new context there: without", lambda: kernel_read(b)
    yield "enable", [enable(third), kernel_read(b)]
    yield "the old memory", lambda: kernel_read(a)


@question("a context that enabled access goes: the peer notices nothing")
def enabler_goes():
    first, second = two_contexts()
    a = make_on(second, "device").address
    enable(second)
    must(cu.cuCtxDestroy(first))
    with using(second):
        yield "the peer", [copy_code_at(a), kernel_read(a)]
        yield "to the dead one", lambda: enable(first)


@question("primary contexts of two devices are peers like others")
def primary():
    first, second = (must(cu.cuDevicePrimaryCtxRetain(ordinal)) for ordinal in (0, 1))
    a = make_on(second, "device").address
    with using(first):
        yield "enable", [enable(second), kernel_read(a), enable(second)]
    own = must(cu.cuCtxGetCurrent())
    yield "a context of one's own beside it", lambda: kernel_read(a)
    must(cu.cuCtxSetCurrent(own))
    yield "release and retain", [ask(cu.cuDevicePrimaryCtxRelease(0)), ask(cu.cuDevicePrimaryCtxRetain(0))]
    context = must(cu.cuDevicePrimaryCtxRetain(0))
    with using(context):
        yield "enable in the new one", enable(second)


def asked_of(address):
    """What the driver tells of an address in the current context, and what the context may do with it."""
    told_now = {}
    for attribute in ("MEMORY_TYPE", "DEVICE_POINTER", "HOST_POINTER", "DEVICE_ORDINAL", "ACCESS_FLAGS", "MAPPED", "IS_LEGACY_CUDA_IPC_CAPABLE"):
        code, value, _ = get_attribute(ATTRIBUTES[attribute], address)
        told_now[attribute] = name(code) if code else (value == address if "POINTER" in attribute else value & 0xFF)
    return told_now


@question("an address tells the same of itself before and after peer access was enabled")
def attributes():
    first, second = two_contexts()
    a = make_on(second, "device").address
    attributes_before, owner = asked_of(a), on(second, lambda: asked_of(a))
    yield from ((f"{attribute} before", value) for attribute, value in attributes_before.items())
    yield from ((f"{attribute} for the owner", value) for attribute, value in owner.items())
    enable(second)
    yield from ((f"{attribute} after", value) for attribute, value in asked_of(a).items())
