"""Descriptors of physical memory: what may be asked of them, imported often, used after a handle is gone."""
import mmap
import os

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers.between import copy_code, fill, kernel_byte, look, number, put, word
from ...helpers.calls import ask, must, outcome
from ...helpers.memory_kinds import LARGE, create, reserve, set_access
from ...helpers.processes import OtherProcess, remembered
from ...helpers.shareable import (
    create_physical,
    descriptor,
    export_status,
    exportable_memory,
    import_in,
    import_memory,
    map_memory,
    release_handle,
    unmap_memory,
)
from ...helpers.shared_pools import pointer_data


@question("memory is made for handles of other types, and exported without flags")
def handle_types():
    for kinds in (2, 4, 8):
        yield f"type {kinds}", export_status(made_for(kinds))
    create_physical("h")
    for flags in (1, 2, 1 << 63):
        yield f"export with flags {flags}", export_status(descriptor("h", flags=flags))


def made_for(kind):
    """A descriptor of memory that was made for another type of handle, or the error's name."""
    code = create_physical("x", handle_type=kind)
    return descriptor("x") if code == "SUCCESS" else code


@question("a descriptor that is opened anew by its path, or mapped by the host, is not the memory")
def by_path():
    create_physical("h")
    fd = descriptor("h")
    yield "mapped by the host", host_mapping(fd)
    yield "opened anew by its path, imported", reopen(fd)
    yield "the first, imported", import_in(OtherProcess(), "k", fd)


@word
def reopen(fd):
    try:
        return import_memory("k", os.open(f"/proc/self/fd/{int(fd)}", os.O_RDWR))
    except OSError as error:
        return f"refused by the operating system: {error.strerror}"


@word
def host_mapping(fd):
    try:
        mmap.mmap(int(fd), 4096).close()
        return "mapped"
    except OSError:
        return "refused by the operating system"


@question("a handle that is released after mapping: the mapping keeps its rights, and gives the handle again")
def released_after_mapping():
    exportable_memory()
    importer = OtherProcess()
    yield "import and map", [import_in(importer, "k", descriptor("h")), importer.ask(map_memory, "b", "k")]
    yield "release there", importer.ask(release_handle, "k")
    yield "change its rights", [importer.ask(change_rights, "b", rights) for rights in ("read", "none", "read and write")]
    yield "the handle again", importer.ask(handle_again, "b", "l")
    yield "a descriptor of that", export_status(importer.ask(descriptor, "l"))
    third = OtherProcess()
    yield "in a third process", [import_in(third, "m", descriptor("h")), third.ask(map_memory, "c", "m"),
                                 third.ask(put, "c", 6), look("a"), importer.ask(look, "b")]
    yield "unmap there", [importer.ask(unmap_memory, "b"), third.ask(look, "c"), look("a")]


def change_rights(label, rights):
    return [ask(set_access(number(label), rights=rights)), copy_code(label), put(label, 3)]


def handle_again(label, handle):
    remembered[handle] = int(must(cu.cuMemRetainAllocationHandle(number(label))))
    code = release_handle(handle)
    remembered[handle] = int(must(cu.cuMemRetainAllocationHandle(number(label))))
    return code


@question("two views of one import have rights of their own")
def views():
    exportable_memory()
    importer = OtherProcess()
    import_in(importer, "k", descriptor("h"))
    yield "map twice", [importer.ask(map_memory, "b", "k", LARGE, "read"), importer.ask(map_memory, "c", "k")]
    yield "write through either", [importer.ask(put, "b", 5), importer.ask(put, "c", 5)]
    yield "read through either", [importer.ask(look, "b"), importer.ask(look, "c"), look("a")]
    yield "a kernel", [importer.ask(kernel_byte, "b"), importer.ask(fill, "c", 0x20), importer.ask(kernel_byte, "b"), kernel_byte("a")]
    yield "a third, without rights", [importer.ask(map_memory, "d", "k", LARGE, None), importer.ask(look, "d")]
    yield "in one range, side by side", importer.ask(side_by_side, "k")


def side_by_side(handle):
    base = reserve(3 * LARGE)
    codes = [ask(cu.cuMemMap(base + part * LARGE, LARGE, 0, number(handle) if part != 1 else create(), 0))
             for part in range(3)]
    codes.append(ask(set_access(base, 3 * LARGE)))
    remembered["first"], remembered["last"] = base, base + 2 * LARGE
    return [codes, put("last", 4), look("first"), outcome(cu.cuMemGetAddressRange(base + 2 * LARGE + 5)[::2])]


@question("a descriptor is imported fifty times, and every import is released for itself")
def many_imports():
    exportable_memory()
    importer = OtherProcess()
    yield "import", sorted({import_in(importer, f"k{n}", descriptor("h")) for n in range(50)})
    yield "all different", importer.ask(different, 50)
    yield "map one, release all", [importer.ask(map_memory, "b", "k20"),
                                   sorted({importer.ask(release_handle, f"k{n}") for n in range(50)})]
    yield "content", [importer.ask(look, "b"), importer.ask(put, "b", 8), look("a")]
    yield "release one again", importer.ask(release_handle, "k3")


def different(count):
    return len({number(f"k{n}") for n in range(count)})


@question("memory of several sizes arrives whole")
def sizes():
    importer = OtherProcess()
    for times in (1, 3, 8):
        size = times * LARGE
        create_physical("h", size), map_memory("a", "h", size)
        put("a", times, 16, size - 16)
        yield f"{times}", [import_in(importer, "k", descriptor("h")), importer.ask(map_memory, "b", "k", size),
                           importer.ask(look, "b", 8, size - 16),
                           importer.ask(copy_code, "b", 2, size - 1)]
        yield f"{times}: mapped with another size", importer.ask(mapped_with, "k", size + LARGE)


def mapped_with(handle, size):
    return ask(cu.cuMemMap(reserve(size), size, 0, number(handle), 0))


@question("memory is exported while a copy uses it and while nothing maps it, and has no IPC handle either way")
def other_handles():
    create_physical("h")
    yield "exported, never mapped", export_status(descriptor("h"))
    yield "map", [map_memory("a", "h"), put("a", 1)]
    yield "IPC handle", outcome(cu.cuIpcGetMemHandle(number("a")), as_=lambda handle: "given")
    yield "as a pool's pointer", export_status(pointer_data("a"))
    yield "unmap, and export", [unmap_memory("a"), export_status(descriptor("h"))]
    yield "release, and export", lambda: [release_handle("h"), export_status(descriptor("h"))]
