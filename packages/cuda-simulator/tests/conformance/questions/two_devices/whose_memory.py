"""Two devices in one process: whose memory it is, and what each context may do with the other's."""

from cuda.bindings import driver as cu

from ...asking import two_device_question as question
from ...helpers.between import host_bytes, host_put, stable_available
from ...helpers.calls import ask, must, name, outcome, using, where
from ...helpers.memory_kinds import SMALL, location, make, pages
from ...helpers.peers import LEFT_OUT, block_on, kernel_read, kernel_write, make_on, on, two_contexts, without_context
from ...helpers.pointer_attributes import ATTRIBUTES, attribute_text, driver_knows, get_attribute
from ...helpers.processes import remembered

KINDS = ("device", "stream-ordered", "mapped", "managed", "pinned", "pinned, portable and write-combined", "registered", "module variable",
         "constant variable", "kernel heap")


@question("two devices are alike but for their numbers, buses and UUIDs",
          varies={"attributes that differ, beside those of the bus": "the machine's choice"})
def facts():
    first, second = 0, 1
    yield "count", outcome(cu.cuDeviceGetCount())
    yield "a third", ask(cu.cuDeviceGet(2))
    yield "names alike", must(cu.cuDeviceGetName(64, first)) == must(cu.cuDeviceGetName(64, second))
    yield "memory alike", must(cu.cuDeviceTotalMem(first)) == must(cu.cuDeviceTotalMem(second))
    yield "UUIDs alike", bytes(must(cu.cuDeviceGetUuid(first)).bytes) == bytes(must(cu.cuDeviceGetUuid(second)).bytes)
    buses = [must(cu.cuDeviceGetPCIBusId(64, device)) for device in (first, second)]
    yield "buses alike", buses[0] == buses[1]
    yield "found by bus", [outcome(cu.cuDeviceGetByPCIBusId(bus.split(b"\0")[0])) for bus in buses]
    differing = [int(a) for a in cu.CUdevice_attribute if int(a) < 150 and outcome(cu.cuDeviceGetAttribute(a, first)) != outcome(cu.cuDeviceGetAttribute(a, second))]
    yield "attributes that differ, beside those of the bus", [a for a in differing if a not in (33, 34, 50)]


@question("each context has the device that it was made for")
def contexts():
    first, second = two_contexts()
    for label, context in (("first", first), ("second", second)):
        yield label, on(context, lambda: [outcome(cu.cuCtxGetDevice()), ask(cu.cuCtxSynchronize()), outcome(cu.cuCtxGetLimit(cu.CUlimit(2)))])
    yield "limits are each context's own", [on(second, lambda: ask(cu.cuCtxSetLimit(cu.CUlimit(2), 64 << 20))),
                                           outcome(cu.cuCtxGetLimit(cu.CUlimit(2))), on(second, lambda: outcome(cu.cuCtxGetLimit(cu.CUlimit(2))))]
    yield "primary contexts", [outcome(cu.cuDevicePrimaryCtxGetState(ordinal)) for ordinal in (0, 1)]
    must(cu.cuDevicePrimaryCtxRetain(1))
    yield "the second retained", [outcome(cu.cuDevicePrimaryCtxGetState(ordinal)) for ordinal in (0, 1)]


@question("memory taken on one device is not missing on the other", quiet=True)
def free_memory():
    first, second = two_contexts()
    free = lambda: [stable_available(), on(second, stable_available)]
    free_before = free()
    a = block_on(second, size=64 << 20)
    yield "taken on 1", [was - now for was, now in zip(free_before, free())]
    b = block_on(first, size=64 << 20)
    yield "and on 0", [was - now for was, now in zip(free_before, free())]
    yield "all free", [ask(cu.cuMemFree(a)), ask(cu.cuMemFree(b)), [was - now for was, now in zip(free_before, free())]]


@question("addresses of two devices do not overlap")
def addresses():
    first, second = two_contexts()
    ranges = []
    for size in (100, 4096, SMALL, 3 << 20, 5 << 20, 32 << 20):
        for context in (first, second):
            for kind in ("device", "stream-ordered", "managed", "pinned"):
                with using(context):
                    a = {"device": lambda: cu.cuMemAlloc(size), "stream-ordered": lambda: cu.cuMemAllocAsync(size, 0),
                         "managed": lambda: cu.cuMemAllocManaged(size, 1), "pinned": lambda: cu.cuMemHostAlloc(size, 0)}[kind]()
                    ranges.append((int(must(a)), size))
    ranges.sort()
    return all(a + size <= b for (a, size), (b, _) in zip(ranges, ranges[1:]))


@question("every address tells the same in a context of either device: whose it is")
def pointer_attributes():
    first, second = two_contexts()
    for kind in KINDS:
        block = make_on(second, kind)
        for attribute in ATTRIBUTES:
            if attribute in LEFT_OUT:
                continue
            text_1, text_0 = on(second, attribute_text, attribute, block, block.address), attribute_text(attribute, block, block.address)
            yield f"{kind}: {attribute}", text_0 if text_0 == text_1 else [text_0, text_1]
        code, value, _ = get_attribute(ATTRIBUTES["CONTEXT"], block.address)
        yield f"{kind}: CONTEXT", name(code) if code else {0: "null", int(first): "first", int(second): "second"}.get(value, "another")


@question("calls that take an address take one of the other device, too")
def address_calls():
    first, second = two_contexts()
    for kind in KINDS:
        block = make_on(second, kind)
        a = block.address
        result = cu.cuMemGetAddressRange(a)
        yield f"{kind}: range", ask(result) if int(result[0]) else [where(result[1], start=a), int(result[2]) == block.size]
        yield f"{kind}: forward", outcome(cu.cuMemHostGetDevicePointer(a, 0), as_=lambda p: where(p, start=a))
        yield f"{kind}: host flags", outcome(cu.cuMemHostGetFlags(a))
        yield f"{kind}: SYNC_MEMOPS", ask(cu.cuPointerSetAttribute(True, cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, a))
        yield f"{kind}: retain", ask(cu.cuMemRetainAllocationHandle(a))
        yield f"{kind}: IPC handle", ask(cu.cuIpcGetMemHandle(a))
        yield f"{kind}: access of device 0 and 1", [outcome(cu.cuMemGetAccess(location(ordinal=ordinal), a)) for ordinal in (0, 1)]


@question("pinned and registered memory serve both devices, whichever context made them")
def host_memory():
    first, second = two_contexts()
    for kind in ("pinned", "pinned, portable and write-combined", "registered"):
        a = make_on(first, kind).address
        remembered["a"] = a
        host_put("a", 0x31, 16)
        yield f"{kind}: 1 reads and writes", on(second, lambda: [kernel_read(a), kernel_write(a, 5), host_bytes("a", 2)])
        yield f"{kind}: forward in 1", on(second, lambda: outcome(cu.cuMemHostGetDevicePointer(a, 0), as_=lambda p: where(p, start=a)))
        b = block_on(second)
        yield f"{kind}: copies in 1", on(second, lambda: [ask(cu.cuMemcpyHtoD(b, a, 4)), ask(cu.cuMemcpyDtoH(a, b, 4)), ask(cu.cuMemcpyDtoD(b, a, 4))])
        yield f"{kind}: register it in 1", on(second, lambda: ask(cu.cuMemHostRegister(a, SMALL, 0)))
        yield f"{kind}: give it back in 1", on(second, lambda: ask(cu.cuMemHostUnregister(a) if kind == "registered" else cu.cuMemFreeHost(a)))
        yield f"{kind}: known then", [driver_knows(a), on(second, driver_knows, a)]


@question("pinned and registered memory goes with its context, on the other device too")
def host_memory_goes():
    for kind in ("pinned", "pinned, portable and write-combined", "registered"):
        first, second = two_contexts()
        a = make_on(second, kind).address
        yield f"{kind}: before", kernel_read(a)
        yield f"{kind}: destroy its context", ask(cu.cuCtxDestroy(second))
        yield f"{kind}: known", driver_knows(a)
        yield f"{kind}: forward", ask(cu.cuMemHostGetDevicePointer(a, 0))
        yield f"{kind}: kernel of 0", lambda: kernel_read(a)


@question("memory is freed from a context of the other device")
def frees():
    first, second = two_contexts()
    for kind, call in {"device": cu.cuMemFree, "device, 3 MiB": cu.cuMemFree, "stream-ordered": lambda a: cu.cuMemFreeAsync(a, 0), "managed": cu.cuMemFree,
                       "pinned": cu.cuMemFreeHost}.items():
        a = make_on(second, kind).address
        yield kind, [ask(call(a)), ask(cu.cuCtxSynchronize()), on(second, lambda: ask(cu.cuCtxSynchronize())), ask(call(a))]
    a = make_on(second, "stream-ordered").address
    yield "stream-ordered, by cuMemFree", ask(cu.cuMemFree(a))
    a = make_on(second, "device").address
    yield "device, by cuMemFreeAsync", ask(cu.cuMemFreeAsync(a, 0))
    a = make_on(second, "device").address
    yield "without a context", without_context(lambda: ask(cu.cuMemFree(a)))


@question("a host's plain memory is neither device's")
def pageable():
    first, second = two_contexts()
    address = pages()
    for label, context in (("0", first), ("1", second)):
        yield f"{label}: copies", on(context, lambda: [ask(cu.cuMemcpyHtoD(block_on(second), address, 16)), ask(cu.cuMemcpy(address, block_on(first), 16))])
        yield f"{label}: a kernel", lambda: on(context, kernel_read, address)
    a = make("device").address
    yield "both devices write it by copies", [ask(cu.cuMemcpyDtoH(address, a, 8)), on(second, lambda: ask(cu.cuMemcpyDtoH(address + 8, block_on(second), 4)))]
