"""Where pinned memory of odd sizes ends; files whose pages are registered; pools of the host that export."""
import ctypes
import mmap
import os
import tempfile

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.calls import ask, must, outcome
from ...helpers.held import Held
from ...helpers.memory_kinds import access, location, pages
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ...helpers.pools import take

KIB, MIB = 1 << 10, 1 << 20


@question("pinned memory of an odd size is known to the driver, and usable, up to where", alone=True)
def odd_sizes():
    for size in (1, 100, 511, 513, 4095, 4096, 4097, 5000, 64 * KIB + 1, MIB + 1, 2 * MIB - 1, 2 * MIB, 2 * MIB + 1, 3 * MIB, 3 * MIB + 5, 5 * MIB):
        p = int(must(cu.cuMemHostAlloc(size, 0)))
        result = cu.cuMemGetAddressRange(p)
        yield f"{size}: range", [ask(result), int(result[2] or 0)]
        yield f"{size}: RANGE_SIZE", list(get_attribute(ATTRIBUTES["RANGE_SIZE"], p)[:2])
        for offset in sorted({size - 1, size, size + 1, -(-size // 512) * 512 - 1, -(-size // 4096) * 4096 - 1}):
            yield f"{size}: {offset}", [outcome(cu.cuMemHostGetDevicePointer(p + offset, 0), lambda v: int(v) - p), get_attribute(ATTRIBUTES["MEMORY_TYPE"], p + offset)[0],
                                        outcome(cu.cuMemHostGetFlags(p + offset))]


@question("a copy to pinned memory past its end", alone=True)
def copy_past_the_end():
    device = int(must(cu.cuMemAlloc(8 * MIB)))
    for size in (100, 4097, 3 * MIB, 3 * MIB + 5):
        p = int(must(cu.cuMemHostAlloc(size, 0)))
        for label, count in (("its size", size), ("a byte more", size + 1)):
            yield f"{size}: {label} as the device's side", ask(cu.cuMemcpyDtoD(p, device, count))


@question("which mappings of a file can be registered", alone=True)
def of_files():
    folders = {"disk": "/var/tmp", "tmp": tempfile.gettempdir(), "shm": "/dev/shm", "here": os.getcwd()}
    for label, folder in folders.items():
        try:
            file = tempfile.TemporaryFile(dir=folder)
        except OSError:
            continue
        file.truncate(64 * KIB)
        name = f"{label}"
        for title, protection, flags in (("shared, writable", 3, mmap.MAP_SHARED), ("shared, to read", 1, mmap.MAP_SHARED), ("private, writable", 3, mmap.MAP_PRIVATE),
                                         ("private, to read", 1, mmap.MAP_PRIVATE)):
            for how in (0, 8):
                p = pages(64 * KIB, protection, flags, file.fileno(), touched=False)
                yield f"{name}: {title}: flags {how}", lambda: ask(cu.cuMemHostRegister(p, 64 * KIB, how))
        private = pages(64 * KIB, 3, mmap.MAP_PRIVATE, file.fileno())
        yield f"{name}: private, written: flags 0", lambda: ask(cu.cuMemHostRegister(private, 64 * KIB, 0))


@question("pools of the host that export", alone=True)
def host_pools_that_export():
    for place in ("host", "host numa"):
        for kind in (0, 1):
            props = cu.CUmemPoolProps()
            props.allocType, props.location = cu.CUmemAllocationType(1), location(place)
            props.handleTypes = cu.CUmemAllocationHandleType(kind)
            result = cu.cuMemPoolCreate(props)
            yield f"{place}, handles {kind}: create", ask(result)
            if int(result[0]):
                continue
            pool = result[1]
            exported = cu.cuMemPoolExportToShareableHandle(pool, cu.CUmemAllocationHandleType(1), 0)
            yield f"{place}, handles {kind}: export", [ask(exported), int(exported[1] or 0) > 0 if not int(exported[0]) else None]
            p = int(must(take(pool, 4096)))
            must(cu.cuCtxSynchronize())
            yield f"{place}, handles {kind}: pointer", ask(cu.cuMemPoolExportPointer(p))
            yield f"{place}, handles {kind}: forward, type", [ask(cu.cuMemHostGetDevicePointer(p, 0)), list(get_attribute(ATTRIBUTES["MEMORY_TYPE"], p)[:2])]
            yield f"{place}, handles {kind}: access", [outcome(cu.cuMemPoolGetAccess(pool, location())), ask(cu.cuMemPoolSetAccess(pool, [access("read and write")], 1)),
                                                      outcome(cu.cuMemPoolGetAccess(pool, location()))]
            ctypes.memset(p, 5, 16)
            yield f"{place}, handles {kind}: the host reads", ctypes.string_at(p, 2).hex()
            if not int(exported[0]):
                imported = cu.cuMemPoolImportFromShareableHandle(int(exported[1]), cu.CUmemAllocationHandleType(1), 0)
                yield f"{place}, handles {kind}: import here", ask(imported)
            with Held() as a:
                q = int(must(take(pool, 4096, a.stream)))
                must(cu.cuMemFreeAsync(q, a.stream))
                yield f"{place}, handles {kind}: taken again, held", int(must(take(pool, 4096, a.stream))) == q
