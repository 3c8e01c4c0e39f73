"""Who keeps physical memory alive that a file descriptor passed on: descriptors, handles, mappings, processes."""
import os
import resource

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers.between import available, destroy_context, fill, look, number, put, stable_available
from ...helpers.calls import ask
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ...helpers.processes import FileDescriptor, OtherProcess, same_number
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

SIZE = 64 << 20


@question("a descriptor alone keeps the memory")
def descriptor_alone():
    exportable_memory()
    fd = descriptor("h")
    yield "unmap and release", [unmap_memory("a"), release_handle("h")]
    importer = OtherProcess()
    yield "import from it", import_in(importer, "k", fd)
    yield "content", [importer.ask(map_memory, "b", "k"), importer.ask(look, "b")]
    third = OtherProcess()
    yield "from a descriptor of the importer", import_in(third, "k", importer.ask(descriptor, "k"))
    yield "content there", [third.ask(map_memory, "b", "k"), third.ask(look, "b")]


@question("an exporter dies: the importer keeps the memory")
def exporter_dies():
    for how in ("kill", "leave", "destroy its context"):
        exporter = OtherProcess()
        exporter.ask(exportable_memory)
        fd, late = exporter.ask(descriptor, "h"), exporter.ask(descriptor, "h")
        yield f"{how}: import", import_memory("k", fd)
        yield f"{how}: map", map_memory("b", "k")
        exporter.ask(destroy_context) if how.startswith("destroy") else getattr(exporter, how)()
        yield f"{how}: copy", look("b")
        yield f"{how}: kernel writes", [fill("b", 0x11), look("b")]
        yield f"{how}: a descriptor that it left", import_memory("l", late)
        yield f"{how}: mapped", [map_memory("c", "l"), look("c")]
        yield f"{how}: export again", export_status(fd := descriptor("k"))
        if isinstance(fd, int):
            os.close(fd)
        yield f"{how}: give back", [unmap_memory("b"), release_handle("k"), release_handle("k")]


@question("an importer dies: the exporter notices nothing")
def importer_dies():
    exportable_memory()
    importer = OtherProcess()
    import_in(importer, "k", descriptor("h"))
    importer.ask(map_memory, "b", "k")
    importer.ask(put, "b", 9)
    yield "kill", importer.kill()
    yield "content", look("a")
    yield "give back", [unmap_memory("a"), release_handle("h"), release_handle("h")]


@question("memory is given back when the last of handles, mappings and descriptors is gone", quiet=True)
def last_reference():
    importer = OtherProcess()
    free_before = available()
    taken_mib = lambda: (free_before - available()) >> 20
    create_physical("h", SIZE)
    yield "created", taken_mib()
    fd = descriptor("h")
    copy = os.dup(fd) if isinstance(fd, int) else None
    yield "exported", taken_mib()
    yield "released", [release_handle("h"), taken_mib()]
    yield "imported", [import_in(importer, "k", fd), taken_mib()]
    yield "its descriptor closed", taken_mib()
    os.close(copy) if copy else None
    yield "the copy closed, too", taken_mib()
    yield "mapped there", [importer.ask(map_memory, "b", "k", SIZE), taken_mib()]
    yield "released there", [importer.ask(release_handle, "k"), taken_mib()]
    yield "unmapped there", [importer.ask(unmap_memory, "b", SIZE), taken_mib()]


@question("memory of the dead is given back", quiet=True)
def given_back_by_the_dead():
    importer, third = OtherProcess(), OtherProcess()
    create_physical("h", SIZE)
    free_before = available()
    yield "import", [import_in(importer, "k", descriptor("h")), import_in(third, "k", descriptor("h"))]
    importer.ask(map_memory, "b", "k", SIZE)
    yield "released here", [release_handle("h"), (free_before - available()) >> 20]
    importer.kill(), third.kill()
    yield "both dead", stable_available() - free_before >= SIZE


@question("two imports in one process are two handles of one memory")
def imported_twice():
    exportable_memory()
    importer = OtherProcess()
    yield "import", [import_in(importer, "k", descriptor("h")), import_in(importer, "l", descriptor("h"))]
    yield "handles", same_number(importer.ask(number, "k"), importer.ask(number, "l"))
    yield "map both", [importer.ask(map_memory, "b", "k"), importer.ask(map_memory, "c", "l")]
    yield "one memory", [importer.ask(put, "b", 6), importer.ask(look, "c"), look("a")]
    yield "blocks", importer.ask(blocks_alike, "b", "c")
    yield "retained", [importer.ask(retain, "b", "k"), importer.ask(retain, "c", "l"), importer.ask(retain, "b", "l")]
    yield "release one", [importer.ask(release_handle, "k"), importer.ask(look, "b"), importer.ask(look, "c")]


def blocks_alike(label, other_label):
    return [get_attribute(ATTRIBUTES[attribute], number(label))[1] == get_attribute(ATTRIBUTES[attribute], number(other_label))[1]
            for attribute in ("MEMORY_BLOCK_ID", "BUFFER_ID")]


def retain(label, handle):
    result = cu.cuMemRetainAllocationHandle(number(label) + 4096)
    if int(result[0]):
        return ask(result)
    return [int(result[1]) == number(handle), ask(cu.cuMemRelease(result[1]))]


@question("a process with no descriptor left exports nothing")
def no_descriptor_left():
    importer = OtherProcess()
    importer.ask(exportable_memory)
    yield "export", importer.ask(export_at_the_limit, "h")
    yield "afterwards", export_status(importer.ask(descriptor, "h"))


def export_at_the_limit(label):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    answer = descriptor(label)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if isinstance(answer, FileDescriptor):
        os.close(answer)
    return export_status(answer)
