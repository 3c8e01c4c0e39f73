"""Physical memory handed on by descriptors: through many hands and back, in every order, in every call."""
import os

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers.between import attributes, copy_code, fill, free, kernel_byte, look, number, put, take, word
from ...helpers.calls import ask, must, new_context, outcome
from ...helpers.ipc_memory import every_copy, every_fill
from ...helpers.memory_kinds import LARGE, RW, access, create, location, properties, reserve, set_access
from ...helpers.processes import OtherProcess, answer_items, remembered
from ...helpers.shareable import (
    create_physical,
    descriptor,
    export_status,
    exportable_memory,
    handle_properties,
    import_in,
    import_memory,
    map_memory,
    release_handle,
    unmap_memory,
)


def importer_of_physical():
    """Physical memory of this process, and another that has it mapped as "b"."""
    exportable_memory()
    importer = OtherProcess()
    import_in(importer, "k", descriptor("h"))
    importer.ask(map_memory, "b", "k")
    return importer


@question("imported memory is either side of every copy")
def copies():
    importer = importer_of_physical()
    yield from answer_items(importer.ask(every_copy, "b"))
    yield "the exporter's", look("a", 8, 64)


@question("imported memory is filled as device memory is, but for what is past 64 KiB, which is there too")
def fills():
    importer = importer_of_physical()
    yield from answer_items(importer.ask(every_fill, "b"))
    yield "the exporter's", look("a", 8)


@question(
    "a descriptor goes through three processes and comes back, each exports what it imported, and releases it at once")
def handed_on():
    exportable_memory()
    holders, fd = [OtherProcess() for _ in range(3)], descriptor("h")
    for n, holder in enumerate(holders):
        yield f"{n}: import, map", [import_in(holder, "k", fd, closing=False), holder.ask(map_memory, "b", "k"), holder.ask(look, "b")]
        yield f"{n}: export, release, write", [export_status(holder.ask(descriptor, "k")), holder.ask(release_handle, "k"),
                                               holder.ask(put, "b", n + 2)]
    yield "it comes back", [import_memory("back", fd), map_memory("c", "back"), look("c"), look("a")]
    yield "one memory", [fill("c", 0x61), look("a"), [holder.ask(look, "b") for holder in holders]]
    yield "properties", handle_properties("back") == handle_properties("h")


def orders(fd):
    """Calls out of order, in an importer; each leaves what the next one needs."""
    code = import_memory("k", fd)
    handle, base = number("k"), reserve(2 * LARGE)
    answers = {
        "import": code, "rights before it is mapped": ask(set_access(base)),
        "unmap before": ask(cu.cuMemUnmap(base, LARGE)),
        "map with flags": ask(cu.cuMemMap(base, LARGE, 0, handle, 1)),
        "map in the middle": ask(cu.cuMemMap(base + 4096, LARGE, 0, handle, 0)),
        "map with an offset": ask(cu.cuMemMap(base, LARGE, 4096, handle, 0)),
        "map": ask(cu.cuMemMap(base, LARGE, 0, handle, 0)),
        "again there": ask(cu.cuMemMap(base, LARGE, 0, handle, 0)),
        "beside it": ask(cu.cuMemMap(base + LARGE, LARGE, 0, handle, 0)),
        "rights of both": ask(set_access(base, 2 * LARGE)),
        "free the addresses": ask(cu.cuMemAddressFree(base, 2 * LARGE)),
        "release": ask(cu.cuMemRelease(handle)), "unmap the second": ask(cu.cuMemUnmap(base + LARGE, LARGE)),
        "free the addresses then": ask(cu.cuMemAddressFree(base, 2 * LARGE))}
    remembered["b"] = base
    return answers | {"the first": [look("b"), copy_code("b", 4, LARGE)], "unmap all": ask(cu.cuMemUnmap(base, 2 * LARGE)),
                      "again": ask(cu.cuMemUnmap(base, 2 * LARGE)),
                      "free the addresses at last": ask(cu.cuMemAddressFree(base, 2 * LARGE)),
                      "and again": ask(cu.cuMemAddressFree(base, 2 * LARGE)), "copy": copy_code("b")}


@question("after an import the calls come in an order, and out of it they are refused")
def order_of_calls():
    exportable_memory()
    yield from answer_items(OtherProcess().ask(orders, fds=[descriptor("h")]))
    yield "the exporter's", [look("a"), kernel_byte("a")]


def thrice(fd):
    results = [cu.cuMemImportFromShareableHandle(fd, cu.CUmemAllocationHandleType(1)) for _ in range(3)]
    os.close(fd)
    for n, result in enumerate(results):
        remembered[f"k{n}"] = int(result[1] or 0)
    return [[ask(result) for result in results], len({number(f"k{n}") for n in range(3)}),
            [map_memory(f"b{n}", f"k{n}") for n in range(3)],
            put("b0", 6), [look(f"b{n}") for n in range(3)], [release_handle(f"k{n}") for n in range(3)], look("b2")]


@question("one descriptor is imported three times before it is closed")
def same_descriptor():
    exportable_memory()
    yield "there", OtherProcess().ask(thrice, fds=[descriptor("h")])
    yield "here", [look("a"), thrice(descriptor("h"))]


def side_by_side(size):
    """Two imports in one range: a copy and a kernel cross the border."""
    base = reserve(2 * LARGE)
    codes = [ask(cu.cuMemMap(base + n * LARGE, LARGE, 0, number(f"k{n}"), 0)) for n in (0, 1)]
    remembered["b"] = base
    return [*codes, ask(set_access(base, 2 * LARGE)), put("b", 5, size, LARGE - size // 2),
            fill("b", 0x70, 4, LARGE - 2)]


@question("imports of two exporters lie side by side, and copies and kernels cross from one to the other")
def two_exporters():
    second = OtherProcess()
    exportable_memory(), second.ask(exportable_memory)
    importer = OtherProcess()
    yield "import", [import_in(importer, "k0", descriptor("h")), import_in(importer, "k1", second.ask(descriptor, "h"))]
    yield "side by side", importer.ask(side_by_side, 16)
    yield "each has its half", [look("a", 8, LARGE - 8), second.ask(look, "a", 8)]
    yield "one exporter ends", [second.kill(), importer.ask(look, "b", 16, LARGE - 8)]


def before_context(fd):
    """Import in a process that has called nothing, then cuInit alone, then a context."""
    code = import_memory("none", os.dup(fd))
    must(cu.cuInit(0))
    answers = {"before cuInit": code, "with cuInit alone": import_memory("k", fd), "map without a context": map_memory("b", "k"),
               "rights told": outcome(cu.cuMemGetAccess(location(), number("b"))), "a copy": copy_code("b"),
               "export without a context": export_status(descriptor("k"))}
    new_context()
    return answers | {"with a context": [look("b"), fill("b", 0x11), look("b")]}


@question("an import wants cuInit and no context, and contexts that are made later use it")
def without_context():
    exportable_memory()
    yield from answer_items(OtherProcess(None).ask(before_context, fds=[descriptor("h")]))
    yield "the exporter's", look("a")


@question("the exporter takes its own right away, unmaps, and maps again: the importer's goes on")
def own_rights():
    importer = importer_of_physical()
    yield "taken", [ask(set_access(number("a"), rights="none")), copy_code("a"), importer.ask(look, "b"),
                    importer.ask(put, "b", 4)]
    yield "to read", [ask(set_access(number("a"), rights="read")), look("a"), put("a", 1), importer.ask(fill, "b", 0x21),
                      look("a")]
    yield "unmapped", [unmap_memory("a"), importer.ask(fill, "b", 0x31), copy_code("a")]
    yield "mapped again", [map_memory("c", "h"), look("c")]
    yield "for the host", [ask(set_access(number("c"), place="host")), ask(set_access(number("c"), place="host numa")),
                           importer.ask(rights_of_host, "b")]


def rights_of_host(label):
    return [ask(set_access(number(label), rights=RW, place=place)) for place in ("host", "host numa")]


@question("each of four processes writes its part of one memory, and all read the whole")
def quarters():
    exportable_memory()
    importers = [OtherProcess() for _ in range(3)]
    yield "import", [[import_in(importer, "k", descriptor("h")), importer.ask(map_memory, "b", "k")] for importer in importers]
    part = LARGE // 4
    yield "write", [put("a", 1, 16), *(importer.ask(put, "b", n + 2, 16, (n + 1) * part) for n, importer in enumerate(importers))]
    for n, importer in enumerate(importers):
        yield f"read by {n}", [importer.ask(look, "b", 4, quarter * part) for quarter in range(4)]
    yield "read here", [look("a", 4, quarter * part) for quarter in range(4)]
    yield "by a kernel", [kernel_byte("a", quarter * part) for quarter in range(4)]


def in_reverse(count):
    base = reserve(count * LARGE)
    codes = [ask(cu.cuMemMap(base + n * LARGE, LARGE, 0, number(f"k{count - 1 - n}"), 0)) for n in range(count)]
    codes.append(ask(set_access(base, count * LARGE)))
    remembered["b"] = base
    return [codes, [look("b", 2, n * LARGE) for n in range(count)]]


@question("a range of three handles is exported piece by piece, and mapped elsewhere in reverse order")
def pieces():
    base = reserve(3 * LARGE)
    remembered["a"] = base
    for n in range(3):
        create_physical(f"h{n}")
        must(cu.cuMemMap(base + n * LARGE, LARGE, 0, number(f"h{n}"), 0))
    must(set_access(base, 3 * LARGE))
    yield "write", [put("a", n + 1, 16, n * LARGE) for n in range(3)]
    importer = OtherProcess()
    yield "import", [import_in(importer, f"k{n}", descriptor(f"h{n}")) for n in range(3)]
    yield "in reverse", importer.ask(in_reverse, 3)
    yield "here", [look("a", 2, n * LARGE) for n in range(3)]
    yield "a copy over all there, here", [importer.ask(copy_code, "b", 3 * LARGE), importer.ask(copy_code, "b", 3 * LARGE + 1)]


@word
def compressible(label):
    description = properties(handle_type=1)
    description.allocFlags.compressionType = 1
    result = cu.cuMemCreate(LARGE, description, 0)
    if not int(result[0]):
        remembered[label] = int(result[1])
    return ask(result)


@question("memory that may be compressed is exported like other memory, and says so in its importer")
def compression():
    yield "create", (code := compressible("h"))
    if code == "SUCCESS":
        importer = OtherProcess()
        yield "described", handle_properties("h")
        yield "import", [import_in(importer, "k", descriptor("h")), importer.ask(handle_properties, "k"),
                         importer.ask(map_memory, "b", "k")]
        yield "use", [map_memory("a", "h"), put("a", 3), importer.ask(look, "b"), importer.ask(kernel_byte, "b")]


def context_goes():
    must(cu.cuCtxDestroy(must(cu.cuCtxGetCurrent())))
    without = [copy_code("b"), outcome(cu.cuMemGetAccess(location(), number("b")))]
    new_context()
    return [*without, look("b"), kernel_byte("b"), fill("b", 0x12), release_handle("k"), look("b"), unmap_memory("b"), copy_code("b")]


@question("an importer's context goes, and another comes: the mapping stays")
def importer_context():
    importer = importer_of_physical()
    yield "there", importer.ask(context_goes)
    yield "here", look("a")
    yield "the exporter's context goes, too", lambda: exporter_context()


def exporter_context():
    must(cu.cuCtxDestroy(must(cu.cuCtxGetCurrent())))
    new_context()
    return [look("a"), kernel_byte("a"), export_status(descriptor("h")), fill("a", 0x22), look("a")]


@question("imported memory has neither an IPC handle, nor a pool, nor anything that cuMemFree gives back")
def other_calls():
    importer = importer_of_physical()
    yield from answer_items(importer.ask(calls_of_others, "b"))
    yield "attributes alike", importer.ask(attributes, "b") == attributes("a")
    yield "the exporter's", look("a")


def calls_of_others(label):
    a = number(label)
    return {"cuMemFree": free(label), "cuMemFreeAsync": ask(cu.cuMemFreeAsync(a, 0)),
            "cuMemFreeHost": ask(cu.cuMemFreeHost(a)),
            "cuIpcGetMemHandle": ask(cu.cuIpcGetMemHandle(a)), "cuIpcCloseMemHandle": ask(cu.cuIpcCloseMemHandle(a)),
            "cuMemPoolExportPointer": ask(cu.cuMemPoolExportPointer(a)),
            "cuMemHostRegister": ask(cu.cuMemHostRegister(a, 4096, 0)),
            "cuMemHostGetDevicePointer": ask(cu.cuMemHostGetDevicePointer(a, 0)),
            "cuMemHostGetFlags": ask(cu.cuMemHostGetFlags(a)),
            "cuMemGetAddressRange inside": outcome(cu.cuMemGetAddressRange(a + 77),
                                                   as_=lambda v: int(v) - a if int(v) >= a else int(v)),
            "rights inside": outcome(cu.cuMemGetAccess(location(), a + 77)),
            "rights past the end": outcome(cu.cuMemGetAccess(location(), a + LARGE)),
            "rights of a part": ask(cu.cuMemSetAccess(a, 4096, [access("read")], 1)),
            "no list": ask(cu.cuMemSetAccess(a, LARGE, [], 0)),
            "another handle over it": ask(cu.cuMemMap(a, LARGE, 0, create(), 0)), "content then": look(label),
            "own memory": take("own")}
