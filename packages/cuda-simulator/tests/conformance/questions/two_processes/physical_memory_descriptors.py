"""Descriptors of physical memory: what may be asked of them, imported often, used after a handle is gone."""
import functools
import mmap
import os

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.between import copied, fill, look, number, put, seen, word
from ...helpers.calls import ask, must, outcome
from ...helpers.memory_kinds import LARGE, create, reserve, set_access
from ...helpers.others import Other, remembered
from ...helpers.shareable import descriptor, given, hidden, imported, ours, passed, physical, released, shown
from ...helpers.shared_pools import pointer_data

asked = functools.partial(question, others=True)


@asked("memory is made for handles of other types, and exported without flags")
def handle_types():
    for kinds in (2, 4, 8):
        yield f"type {kinds}", given(made_for(kinds))
    physical("h")
    for flags in (1, 2, 1 << 63):
        yield f"export with flags {flags}", given(descriptor("h", flags=flags))


def made_for(kind):
    """A descriptor of memory that was made for another type of handle, or the error's name."""
    code = physical("x", handle_type=kind)
    return descriptor("x") if code == "SUCCESS" else code


@asked("a descriptor that is opened anew by its path, or mapped by the host, is not the memory")
def by_path():
    physical("h")
    fd = descriptor("h")
    yield "mapped by the host", host_mapping(fd)
    yield "opened anew by its path, imported", reopened(fd)
    yield "the first, imported", passed(Other(), "k", fd)


@word
def reopened(fd):
    try:
        return imported("k", os.open(f"/proc/self/fd/{int(fd)}", os.O_RDWR))
    except OSError as error:
        return f"refused by the operating system: {error.strerror}"


@word
def host_mapping(fd):
    try:
        mmap.mmap(int(fd), 4096).close()
        return "mapped"
    except OSError:
        return "refused by the operating system"


@asked("a handle that is released after mapping: the mapping keeps its rights, and gives the handle again")
def released_after_mapping():
    ours()
    other = Other()
    yield "import and map", [passed(other, "k", descriptor("h")), other.ask(shown, "b", "k")]
    yield "release there", other.ask(released, "k")
    yield "change its rights", [other.ask(rights_changed, "b", rights) for rights in ("read", "none", "read and write")]
    yield "the handle again", other.ask(handle_again, "b", "l")
    yield "a descriptor of that", given(other.ask(descriptor, "l"))
    third = Other()
    yield "in a third process", [passed(third, "m", descriptor("h")), third.ask(shown, "c", "m"),
                                 third.ask(put, "c", 6), look("a"), other.ask(look, "b")]
    yield "unmap there", [other.ask(hidden, "b"), third.ask(look, "c"), look("a")]


def rights_changed(label, rights):
    return [ask(set_access(number(label), rights=rights)), copied(label), put(label, 3)]


def handle_again(label, handle):
    remembered[handle] = int(must(cu.cuMemRetainAllocationHandle(number(label))))
    code = released(handle)
    remembered[handle] = int(must(cu.cuMemRetainAllocationHandle(number(label))))
    return code


@asked("two views of one import have rights of their own")
def views():
    ours()
    other = Other()
    passed(other, "k", descriptor("h"))
    yield "map twice", [other.ask(shown, "b", "k", LARGE, "read"), other.ask(shown, "c", "k")]
    yield "write through either", [other.ask(put, "b", 5), other.ask(put, "c", 5)]
    yield "read through either", [other.ask(look, "b"), other.ask(look, "c"), look("a")]
    yield "a kernel", [other.ask(seen, "b"), other.ask(fill, "c", 0x20), other.ask(seen, "b"), seen("a")]
    yield "a third, without rights", [other.ask(shown, "d", "k", LARGE, None), other.ask(look, "d")]
    yield "in one range, side by side", other.ask(side_by_side, "k")


def side_by_side(handle):
    base = reserve(3 * LARGE)
    codes = [ask(cu.cuMemMap(base + part * LARGE, LARGE, 0, number(handle) if part != 1 else create(), 0))
             for part in range(3)]
    codes.append(ask(set_access(base, 3 * LARGE)))
    remembered["first"], remembered["last"] = base, base + 2 * LARGE
    return [codes, put("last", 4), look("first"), outcome(cu.cuMemGetAddressRange(base + 2 * LARGE + 5)[::2])]


@asked("a descriptor is imported fifty times, and every import is released for itself")
def many_imports():
    ours()
    other = Other()
    yield "import", sorted({passed(other, f"k{n}", descriptor("h")) for n in range(50)})
    yield "all different", other.ask(different, 50)
    yield "map one, release all", [other.ask(shown, "b", "k20"),
                                   sorted({other.ask(released, f"k{n}") for n in range(50)})]
    yield "content", [other.ask(look, "b"), other.ask(put, "b", 8), look("a")]
    yield "release one again", other.ask(released, "k3")


def different(count):
    return len({number(f"k{n}") for n in range(count)})


@asked("memory of several sizes arrives whole")
def sizes():
    other = Other()
    for times in (1, 3, 8):
        size = times * LARGE
        physical("h", size), shown("a", "h", size)
        put("a", times, 16, size - 16)
        yield f"{times}", [passed(other, "k", descriptor("h")), other.ask(shown, "b", "k", size),
                           other.ask(look, "b", 8, size - 16),
                           other.ask(copied, "b", 2, size - 1)]
        yield f"{times}: mapped with another size", other.ask(mapped_with, "k", size + LARGE)


def mapped_with(handle, size):
    return ask(cu.cuMemMap(reserve(size), size, 0, number(handle), 0))


@asked("memory is exported while a copy uses it and while nothing maps it, and has no IPC handle either way")
def other_handles():
    physical("h")
    yield "exported, never mapped", given(descriptor("h"))
    yield "map", [shown("a", "h"), put("a", 1)]
    yield "IPC handle", outcome(cu.cuIpcGetMemHandle(number("a")), as_=lambda handle: "given")
    yield "as a pool's pointer", given(pointer_data("a"))
    yield "unmap, and export", [hidden("a"), given(descriptor("h"))]
    yield "release, and export", lambda: [released("h"), given(descriptor("h"))]
