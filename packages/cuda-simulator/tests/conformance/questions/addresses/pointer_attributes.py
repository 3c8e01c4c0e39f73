"""What the driver tells of an address, attribute by attribute, for every kind and state of memory."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.calls import ask, must, name, new_context, outcome, where
from ...helpers.memory_kinds import KINDS, LARGE, access, make, properties
from ...helpers.pointer_attributes import ATTRIBUTES, UNTOUCHED, A, _value_text, attribute_text, get_attribute

# Where small memory lies in the larger piece that the driver cut it from, and how large that piece is.
PIECES = {f"{kind}: {attribute}": "the driver's choice of the piece" for attribute in ("MAPPING_BASE_ADDR", "MAPPING_SIZE")
          for kind in ("stream-ordered", "managed", "managed, attached to the host", "module variable", "constant variable", "device",
                       "pinned", "pinned, portable and write-combined")}


@question("each attribute of each kind of memory, at its start", varies=PIECES)
def at_the_start():
    for kind in KINDS:
        block = make(kind)
        for attribute in ATTRIBUTES:
            yield f"{kind}: {attribute}", lambda: attribute_text(attribute, block, block.address)


@question("each attribute of each kind of memory, at an interior address", varies=PIECES)
def interior():
    for kind in KINDS:
        block = make(kind)
        for attribute in ATTRIBUTES:
            yield f"{kind}: {attribute}", lambda: attribute_text(attribute, block, block.address + 24)


@question("attributes of the last byte and of one past the end", varies={
    f"module variable: {attribute} of one past": "another variable may begin there" for attribute in ATTRIBUTES})
def at_the_end():
    for kind in ("pageable", "pinned", "registered", "registered, unaligned", "device", "device, 3 MiB", "managed", "mapped",
                 "mapped, on the host", "reserved only", "module variable", "kernel heap", "stream-ordered"):
        block = make(kind)
        for attribute in ("MEMORY_TYPE", "DEVICE_POINTER", "HOST_POINTER", "RANGE_START_ADDR", "RANGE_SIZE", "IS_MANAGED"):
            for label, address in (("last byte", block.address + block.size - 1), ("one past", block.address + block.size)):
                yield f"{kind}: {attribute} of {label}", lambda: attribute_text(attribute, block, address)


@question("attribute numbers that do not exist are refused")
def unknown_attributes():
    block = make("device")
    for number in (0, 22, 23, 30, 100, -1):
        yield f"attribute {number}", lambda: name(get_attribute(number, block.address)[0])
    yield "a null place for the answer", lambda: name(ctypes.CDLL("libcuda.so.1").cuPointerGetAttribute(
        None, 2, ctypes.c_uint64(block.address)))


def _plural(numbers, address):
    library = ctypes.CDLL("libcuda.so.1")
    outs = [(ctypes.c_uint64 * 2)(UNTOUCHED, UNTOUCHED) for _ in numbers]
    data = (ctypes.c_void_p * len(numbers))(*[ctypes.addressof(out) for out in outs])
    kinds = (ctypes.c_int * len(numbers))(*numbers)
    code = library.cuPointerGetAttributes(ctypes.c_uint(len(numbers)), kinds, data, ctypes.c_uint64(address))
    return code, [out[0] for out in outs]


@question("the plural call succeeds for addresses that the driver does not know, and tells zeros and the address itself", varies=PIECES)
def plural():
    plural_attributes = [a for a in ATTRIBUTES if a not in ("P2P_TOKENS",)]
    for kind in KINDS:
        block = make(kind)
        for attribute in plural_attributes:
            yield f"{kind}: {attribute}", lambda: _attribute_by_plural_call(attribute, block, block.address + 8)


def _attribute_by_plural_call(attribute, block, address):
    code, values = _plural([ATTRIBUTES[attribute]], address)
    if code:
        return name(code)
    return "not written" if values[0] == UNTOUCHED else _value_text(attribute, values[0], block, address)


@question("the plural call answers several attributes at once, or none if one does not exist")
def plural_many():
    block = make("pinned")
    for label, numbers in {"type, host, device": [2, 4, 3], "none": [], "an unknown one": [2, 99], "the same twice": [2, 2],
                           "tokens": [2, 5]}.items():
        yield label, lambda: [name(_plural(numbers, block.address)[0]), [
            "not written" if v == UNTOUCHED else "written" for v in _plural(numbers, block.address)[1]]]
    a = must(cu.cuMemAlloc(64))
    names = [A.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, A.CU_POINTER_ATTRIBUTE_HOST_POINTER, A.CU_POINTER_ATTRIBUTE_IS_MANAGED]
    yield "through cuda.bindings: device", lambda: ask(cu.cuPointerGetAttributes(3, names, a))
    yield "null data", lambda: name(ctypes.CDLL("libcuda.so.1").cuPointerGetAttributes(
        ctypes.c_uint(1), (ctypes.c_int * 1)(2), None, ctypes.c_uint64(int(a))))


@question("a buffer has an identity of its own that is never used again")
def buffer_ids():
    def identity(address):
        code, value, _ = get_attribute(ATTRIBUTES["BUFFER_ID"], address)
        return name(code) if code else value
    a, b = int(must(cu.cuMemAlloc(64))), int(must(cu.cuMemAlloc(64)))
    first_id = identity(a)
    yield "two differ", first_id != identity(b)
    yield "interior is the same", first_id == identity(a + 10)
    yield "grows with each allocation", identity(b) > first_id
    must(cu.cuMemFree(b))
    c = int(must(cu.cuMemAlloc(64)))
    yield "never used again", identity(c) > first_id + 1
    yield "steps", identity(int(must(cu.cuMemAlloc(64)))) - identity(c)
    p = int(must(cu.cuMemHostAlloc(64, 0)))
    yield "pinned after device", identity(p) > identity(c)
    handle = must(cu.cuMemCreate(LARGE, properties(), 0))
    x, y = (int(must(cu.cuMemAddressReserve(LARGE, 0, 0, 0))) for _ in range(2))
    for address in (x, y):
        must(cu.cuMemMap(address, LARGE, 0, handle, 0))
        must(cu.cuMemSetAccess(address, LARGE, [access("read and write")], 1))
    yield "two addresses of one physical allocation differ", identity(x) != identity(y)
    blocks = [get_attribute(ATTRIBUTES["MEMORY_BLOCK_ID"], address)[1] for address in (x, y)]
    yield "their memory block is one", blocks[0] == blocks[1]


@question("a freed address is unknown again")
def freed():
    for kind in ("device", "device, 3 MiB", "pinned", "managed", "registered", "mapped", "stream-ordered"):
        block = make(kind)
        if block.release:
            block.release()
        must(cu.cuCtxSynchronize())
        for attribute in ("MEMORY_TYPE", "DEVICE_POINTER", "HOST_POINTER", "BUFFER_ID", "RANGE_SIZE"):
            yield f"{kind}: {attribute}", lambda: attribute_text(attribute, block, block.address)


@question("the way back needs no context; both ways forward ask for the current one's device")
def without_a_context():
    for kind in ("pinned", "registered", "managed", "mapped, on the host", "mapped", "device"):
        block = make(kind)
        def ways(block=block):
            yield "back", attribute_text("HOST_POINTER", block, block.address)
            yield "DEVICE_POINTER", attribute_text("DEVICE_POINTER", block, block.address)
            yield "forward", outcome(cu.cuMemHostGetDevicePointer(block.address, 0), as_=lambda p: where(p, start=block.address))
        for way, answer in ways():
            yield f"{kind}: {way}", answer
        context = must(cu.cuCtxPopCurrent())
        try:
            answers = list(ways())
        finally:
            must(cu.cuCtxPushCurrent(context))
        for way, answer in answers:
            yield f"{kind}: {way}, without a context", answer


@question("a mapping is known by stages: reserved, mapped, with access, without, unmapped, freed")
def stages():
    base = int(must(cu.cuMemAddressReserve(2 * LARGE, 0, 0, 0)))
    handle = must(cu.cuMemCreate(LARGE, properties(), 0))
    block = type("Block", (), {"address": base})
    def state(label, address=base + 4096):
        for attribute in ("MEMORY_TYPE", "DEVICE_POINTER", "RANGE_START_ADDR", "RANGE_SIZE", "MAPPED", "MAPPING_SIZE",
                          "MAPPING_BASE_ADDR", "BUFFER_ID", "ACCESS_FLAGS", "CONTEXT", "DEVICE_ORDINAL"):
            yield f"{label}: {attribute}", attribute_text(attribute, block, address)
        result = cu.cuMemGetAddressRange(address)
        yield f"{label}: range", [where(result[1], start=base), int(result[2])] if not int(result[0]) else ask(result)
    yield from state("reserved")
    must(cu.cuMemMap(base + LARGE, LARGE, 0, handle, 0))
    yield from state("the second half mapped, asked in the first")
    yield from state("the second half mapped", base + LARGE + 4096)
    must(cu.cuMemSetAccess(base + LARGE, LARGE, [access("read")], 1))
    yield from state("read access", base + LARGE + 4096)
    must(cu.cuMemSetAccess(base + LARGE, LARGE, [access("read and write")], 1))
    yield from state("full access", base + LARGE + 4096)
    must(cu.cuMemSetAccess(base + LARGE, LARGE, [access("none")], 1))
    yield from state("access taken away", base + LARGE + 4096)
    must(cu.cuMemUnmap(base + LARGE, LARGE))
    yield from state("unmapped", base + LARGE + 4096)
    must(cu.cuMemAddressFree(base, 2 * LARGE))
    yield from state("freed")


@question("SYNC_MEMOPS can be set on device memory, other attributes cannot be set")
def set_attribute():
    for kind in KINDS:
        yield kind, lambda: _set_sync(kind)
    device = make("device")
    for attribute in ATTRIBUTES:
        yield f"device: {attribute}", lambda: name(ctypes.CDLL("libcuda.so.1").cuPointerSetAttribute(
            ctypes.byref(ctypes.c_uint64(1)), ctypes.c_int(ATTRIBUTES[attribute]), ctypes.c_uint64(device.address)))


def _set_sync(kind):
    block = make(kind)
    code = ask(cu.cuPointerSetAttribute(True, A.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, block.address))
    return [code, attribute_text("SYNC_MEMOPS", block, block.address)]


@question("the context that made the memory is the one told, whichever is current; of the primary context too")
def context_attribute():
    first = must(cu.cuCtxGetCurrent())
    blocks = {kind: make(kind) for kind in ("device", "pinned", "managed", "registered", "mapped", "stream-ordered", "module variable")}
    second = new_context()
    for kind, block in blocks.items():
        code, value, _ = get_attribute(ATTRIBUTES["CONTEXT"], block.address)
        yield kind, where(value, first=first, second=second) if not code else name(code)
    must(cu.cuCtxSetCurrent(0))
    for kind, block in blocks.items():
        yield f"{kind}, asked without a context", name(get_attribute(ATTRIBUTES["CONTEXT"], block.address)[0])
        yield f"{kind}, type without a context", outcome((get_attribute(ATTRIBUTES["MEMORY_TYPE"], block.address)[0],
                                                          get_attribute(ATTRIBUTES["MEMORY_TYPE"], block.address)[1] & 0xFFFFFFFF))
    must(cu.cuCtxSetCurrent(second))


@question("SYNC_MEMOPS of a kind, before and after it was set and unset")
def sync_memops():
    for kind in ("device", "pinned", "registered", "managed", "stream-ordered", "mapped", "module variable", "mapped, on the host"):
        address = make(kind).address
        answers = [outcome(cu.cuPointerGetAttribute(cu.CUpointer_attribute(6), address))]
        for value in (True, False):
            answers += [ask(cu.cuPointerSetAttribute(value, cu.CUpointer_attribute(6), address)),
                        outcome(cu.cuPointerGetAttribute(cu.CUpointer_attribute(6), address))]
        yield kind, answers
