"""Physical memory as a file descriptor: exported, imported, mapped twice; and the other ways to share, which few use."""
import ctypes
import os

from cuda.bindings import driver as cu

from ...asking import DRIVER, question
from ...helpers.calls import ask, must, name, new_context, outcome, pattern, raw, read, write
from ...helpers.memory_kinds import KINDS, LARGE, create, make, properties, reserve, set_access
from ...helpers.pointer_attributes import get_attribute

TYPES = cu.CUmemAllocationHandleType
POSIX = TYPES.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR


def export(handle, kind=POSIX, flags=0):
    """A file descriptor for physical memory, or the error's name."""
    return outcome(cu.cuMemExportToShareableHandle(handle, kind, flags))


def import_handle(fd, kind=POSIX):
    return cu.cuMemImportFromShareableHandle(fd, kind)


def show(handle, size=LARGE):
    """Map a handle at a fresh address with access for the device."""
    address = reserve(size)
    must(cu.cuMemMap(address, size, 0, handle, 0))
    must(set_access(address, size))
    return address


def with_descriptor(answer):
    """The same list with descriptors, which differ from run to run, told as such."""
    return "descriptor" if isinstance(answer, int) and answer > 2 else answer


@question("physical memory is exported as the type of handle that it was created for, and as no other")
def export_types():
    for created in (0, 1):
        handle = create(handle_type=created)
        for kind in TYPES:
            if int(kind) != 0x7FFFFFFF:
                yield f"created for {created}, exported as {int(kind)}", lambda: with_descriptor(export(handle, kind))
    host = create(place="host numa", handle_type=1)
    yield "memory on the host", with_descriptor(export(host))


@question("what is exported must be a handle that is held")
def export_handles():
    handle = create(handle_type=1)
    address = show(handle)
    must(cu.cuMemRelease(handle))
    yield "released, mapped still", lambda: with_descriptor(export(handle))
    handle_again = must(cu.cuMemRetainAllocationHandle(address))
    yield "retained again", lambda: with_descriptor(export(handle_again))
    yield "null", lambda: with_descriptor(export(0))
    yield "1", lambda: with_descriptor(export(1))
    yield "null output", lambda: raw("cuMemExportToShareableHandle", None, int(handle_again), ctypes.c_int(1), 0)


@question("an exported descriptor is a file descriptor like others: it is copied, closed and counted by the operating system")
def descriptor():
    handle = create(handle_type=1)
    first, second = export(handle), export(handle)
    yield "each export gives a new one", first != second
    yield "it is closed on exec", not os.get_inheritable(first)
    copy = os.dup(first)
    os.close(first)
    yield "a copy imports after the first is closed", ask(import_handle(copy))
    os.close(copy)
    for label, fd in (("2^32 - 1", (1 << 32) - 1), ("987", 987)):
        yield f"descriptor {label}", ask(import_handle(fd))
    reading, writing = os.pipe()
    yield "a pipe", ask(import_handle(reading))
    os.close(reading), os.close(writing)
    memory_file = os.memfd_create("not CUDA's")
    os.ftruncate(memory_file, LARGE)
    yield "a memory file of the right size", ask(import_handle(memory_file))
    os.close(memory_file)
    for kind in TYPES:
        if int(kind) not in (1, 0x7FFFFFFF):
            yield f"import as type {int(kind)}", lambda: raw("cuMemImportFromShareableHandle", ctypes.byref(ctypes.c_uint64()), second,
                                                             ctypes.c_int(int(kind)))
    yield "null output", lambda: raw("cuMemImportFromShareableHandle", None, second, ctypes.c_int(1))


@question("an imported handle is another handle of the same memory")
def imported_handle():
    handle = create(handle_type=1)
    fd = export(handle)
    first, second = must(import_handle(fd)), must(import_handle(fd))
    os.close(fd)
    yield "import differs from the original", int(first) != int(handle)
    yield "two imports differ", int(first) != int(second)
    properties_ = must(cu.cuMemGetAllocationPropertiesFromHandle(first))
    yield "properties", [int(properties_.type), int(properties_.requestedHandleTypes), int(properties_.location.type),
                         int(properties_.location.id)]
    x, y = show(handle), show(first)
    write(x + 100, pattern(64))
    must(cu.cuCtxSynchronize())
    yield "one memory", read(y + 100, 64) == pattern(64)
    block_x, block_y = (get_attribute(20, address)[1] for address in (x, y))
    yield "their memory block is one", block_x == block_y
    retained = must(cu.cuMemRetainAllocationHandle(y))
    yield "retained where the import is mapped", [int(retained) == int(first), int(retained) == int(handle)]
    yield "export the import", with_descriptor(export(first))


@question("memory that was imported lives until the last handle and the last mapping are gone")
def import_lifetime():
    handle = create(handle_type=1)
    fd = export(handle)
    x = show(handle)
    write(x, pattern(64))
    must(cu.cuCtxSynchronize())
    second = must(import_handle(fd))
    yield "unmap", ask(cu.cuMemUnmap(x, LARGE))
    yield "release the original", ask(cu.cuMemRelease(handle))
    yield "release it again", ask(cu.cuMemRelease(handle))
    y = show(second)
    yield "content through the import", read(y, 64) == pattern(64)
    must(cu.cuMemUnmap(y, LARGE))
    yield "release the import", ask(cu.cuMemRelease(second))
    yield "release the import again", ask(cu.cuMemRelease(second))
    third = import_handle(fd)
    yield "the descriptor holds the memory: import again", ask(third)
    if not int(third[0]):
        yield "content after that", read(show(third[1]), 64) == pattern(64)
    os.close(fd)


@question("an imported handle is mapped under the rules of every handle")
def import_mapping():
    large = create(2 * LARGE, handle_type=1)
    fd = export(large)
    handle = must(import_handle(fd))
    base = reserve(4 * LARGE)
    for label, size, offset in (("half of it", LARGE, 0), ("its second half", LARGE, LARGE), ("more than it", 3 * LARGE, 0),
                                ("all of it", 2 * LARGE, 0), ("all of it again", 2 * LARGE, 0)):
        yield label, ask(cu.cuMemMap(base, size, offset, handle, 0))
    yield "beside it", ask(cu.cuMemMap(base + 2 * LARGE, 2 * LARGE, 0, handle, 0))
    yield "access over both", ask(set_access(base, 4 * LARGE))
    write(base + 4096, pattern(16))
    must(cu.cuCtxSynchronize())
    yield "both show it", read(base + 2 * LARGE + 4096, 16) == pattern(16)


@question("importing and exporting need no context", needs=DRIVER)
def without_context():
    handle = create(handle_type=1)
    fd = export(handle)
    yield "export", with_descriptor(fd)
    yield "import", ask(import_handle(fd))


@question("a pool of a shareable type is exported, and pointers into it")
def pool():
    def create_pool(handle_type):
        props = cu.CUmemPoolProps()
        props.allocType = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        props.handleTypes = TYPES(handle_type)
        props.location = properties().location
        return must(cu.cuMemPoolCreate(props))
    for handle_type in (0, 1):
        created = create_pool(handle_type)
        yield f"type {handle_type}: export", lambda: name(cu.cuMemPoolExportToShareableHandle(created, POSIX, 0)[0])
        a = must(cu.cuMemAllocFromPoolAsync(4096, created, 0))
        must(cu.cuStreamSynchronize(0))
        yield f"type {handle_type}: allowed handle types of its memory", get_attribute(14, int(a))[:2][1] & 0xFFFFFFFF
        yield f"type {handle_type}: export a pointer", lambda: name(cu.cuMemPoolExportPointer(a)[0])
    yield "the default pool", lambda: name(cu.cuMemPoolExportToShareableHandle(must(cu.cuDeviceGetDefaultMemPool(0)), POSIX, 0)[0])
    yield "a pointer of cuMemAlloc", lambda: name(cu.cuMemPoolExportPointer(make("device").address)[0])


@question("which memory has an IPC handle, and who may open it")
def ipc():
    for kind in KINDS:
        yield kind, lambda: ask(cu.cuIpcGetMemHandle(make(kind).address))
    yield "interior of device memory", lambda: ask(cu.cuIpcGetMemHandle(make("device").address + 512))
    handle = cu.cuIpcGetMemHandle(make("device").address)
    if not int(handle[0]):
        yield "opened in the process that made it", lambda: ask(cu.cuIpcOpenMemHandle(handle[1], 1))
        yield "opened with flags 0", lambda: ask(cu.cuIpcOpenMemHandle(handle[1], 0))
    yield "close what is not open", lambda: ask(cu.cuIpcCloseMemHandle(make("device").address))
    yield "event without interprocess", lambda: ask(cu.cuIpcGetEventHandle(must(cu.cuEventCreate(2))))
    yield "event with interprocess", lambda: ask(cu.cuIpcGetEventHandle(must(cu.cuEventCreate(6))))


@question("a range of memory as a descriptor for other devices")
def range_handles():
    for kind in ("device", "device, 3 MiB", "pinned", "managed", "mapped", "mapped, on the host", "stream-ordered", "reserved only", "null"):
        block = make(kind)
        for size in (4096, LARGE):
            yield f"{kind}: {size}", lambda: with_descriptor(outcome(cu.cuMemGetHandleForAddressRange(
                block.address, size, cu.CUmemRangeHandleType(1), 0)))


@question("a multicast object needs devices that support it", needs=DRIVER)
def multicast():
    new_context()
    props = cu.CUmulticastObjectProp()
    props.numDevices, props.size = 1, LARGE
    yield "granularity", outcome(cu.cuMulticastGetGranularity(props, cu.CUmulticastGranularity_flags(0)))
    yield "create for one device", outcome(cu.cuMulticastCreate(props), as_=lambda handle: "handle")
    props.numDevices = 2
    yield "create for two", outcome(cu.cuMulticastCreate(props), as_=lambda handle: "handle")
