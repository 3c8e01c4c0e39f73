"""Who keeps physical memory alive that a file descriptor passed on: descriptors, handles, mappings, processes."""
import functools
import os
import resource

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.between import available, fill, left_context, look, number, put, settled
from ...helpers.calls import ask
from ...helpers.others import FileDescriptor, Other, same
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ...helpers.shareable import descriptor, given, hidden, imported, ours, passed, physical, released, shown

asked = functools.partial(question, others=True)

SIZE = 64 << 20


@asked("a descriptor alone keeps the memory")
def descriptor_alone():
    ours()
    fd = descriptor("h")
    yield "unmap and release", [hidden("a"), released("h")]
    other = Other()
    yield "import from it", passed(other, "k", fd)
    yield "content", [other.ask(shown, "b", "k"), other.ask(look, "b")]
    third = Other()
    yield "from a descriptor of the importer", passed(third, "k", other.ask(descriptor, "k"))
    yield "content there", [third.ask(shown, "b", "k"), third.ask(look, "b")]


@asked("an exporter dies: the importer keeps the memory")
def exporter_dies():
    for how in ("kill", "leave", "destroy its context"):
        exporter = Other()
        exporter.ask(ours)
        fd, late = exporter.ask(descriptor, "h"), exporter.ask(descriptor, "h")
        yield f"{how}: import", imported("k", fd)
        yield f"{how}: map", shown("b", "k")
        exporter.ask(left_context) if how.startswith("destroy") else getattr(exporter, how)()
        yield f"{how}: copy", look("b")
        yield f"{how}: kernel writes", [fill("b", 0x11), look("b")]
        yield f"{how}: a descriptor that it left", imported("l", late)
        yield f"{how}: mapped", [shown("c", "l"), look("c")]
        yield f"{how}: export again", given(fd := descriptor("k"))
        if isinstance(fd, int):
            os.close(fd)
        yield f"{how}: give back", [hidden("b"), released("k"), released("k")]


@asked("an importer dies: the exporter notices nothing")
def importer_dies():
    ours()
    other = Other()
    passed(other, "k", descriptor("h"))
    other.ask(shown, "b", "k")
    other.ask(put, "b", 9)
    yield "kill", other.kill()
    yield "content", look("a")
    yield "give back", [hidden("a"), released("h"), released("h")]


@asked("memory is given back when the last of handles, mappings and descriptors is gone", quiet=True)
def last_reference():
    other = Other()
    before = available()
    taken = lambda: (before - available()) >> 20
    physical("h", SIZE)
    yield "created", taken()
    fd = descriptor("h")
    copy = os.dup(fd) if isinstance(fd, int) else None
    yield "exported", taken()
    yield "released", [released("h"), taken()]
    yield "imported", [passed(other, "k", fd), taken()]
    yield "its descriptor closed", taken()
    os.close(copy) if copy else None
    yield "the copy closed, too", taken()
    yield "mapped there", [other.ask(shown, "b", "k", SIZE), taken()]
    yield "released there", [other.ask(released, "k"), taken()]
    yield "unmapped there", [other.ask(hidden, "b", SIZE), taken()]


@asked("memory of the dead is given back", quiet=True)
def given_back_by_the_dead():
    other, third = Other(), Other()
    physical("h", SIZE)
    before = available()
    yield "import", [passed(other, "k", descriptor("h")), passed(third, "k", descriptor("h"))]
    other.ask(shown, "b", "k", SIZE)
    yield "released here", [released("h"), (before - available()) >> 20]
    other.kill(), third.kill()
    yield "both dead", settled() - before >= SIZE


@asked("two imports in one process are two handles of one memory")
def imported_twice():
    ours()
    other = Other()
    yield "import", [passed(other, "k", descriptor("h")), passed(other, "l", descriptor("h"))]
    yield "handles", same(other.ask(number, "k"), other.ask(number, "l"))
    yield "map both", [other.ask(shown, "b", "k"), other.ask(shown, "c", "l")]
    yield "one memory", [other.ask(put, "b", 6), other.ask(look, "c"), look("a")]
    yield "blocks", other.ask(blocks_alike, "b", "c")
    yield "retained", [other.ask(retained, "b", "k"), other.ask(retained, "c", "l"), other.ask(retained, "b", "l")]
    yield "release one", [other.ask(released, "k"), other.ask(look, "b"), other.ask(look, "c")]


def blocks_alike(label, other):
    return [get_attribute(ATTRIBUTES[attribute], number(label))[1] == get_attribute(ATTRIBUTES[attribute], number(other))[1]
            for attribute in ("MEMORY_BLOCK_ID", "BUFFER_ID")]


def retained(label, handle):
    result = cu.cuMemRetainAllocationHandle(number(label) + 4096)
    if int(result[0]):
        return ask(result)
    return [int(result[1]) == number(handle), ask(cu.cuMemRelease(result[1]))]


@asked("a process with no descriptor left exports nothing")
def no_descriptor_left():
    other = Other()
    other.ask(ours)
    yield "export", other.ask(export_at_the_limit, "h")
    yield "afterwards", given(other.ask(descriptor, "h"))


def export_at_the_limit(label):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    answer = descriptor(label)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if isinstance(answer, FileDescriptor):
        os.close(answer)
    return given(answer)
