"""Pools for export: pointers of every size and kind, imported by either of two pools, given back in every way."""
import functools

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.between import fill, look, number, put
from ...helpers.calls import ask, must
from ...helpers.memory_kinds import make, properties
from ...helpers.others import Other, remembered
from ...helpers.shareable import given
from ...helpers.shared_pools import (
    drawn,
    freed,
    imported_pointer,
    imported_pool,
    pointer_data,
    pool,
    pool_descriptor,
    pool_destroyed,
    pool_passed,
    shared,
    used,
)

asked = functools.partial(question, others=True)


@asked("a pointer is exported from memory of a pool that may be, and from nothing else")
def exported_pointers():
    for kind in ("device", "stream-ordered", "managed", "pinned", "mapped", "pageable", "module variable", "null"):
        yield kind, lambda: ask(cu.cuMemPoolExportPointer(make(kind).address))
    pool("o"), pool("private", handle_type=0)
    drawn("a", "o"), drawn("p", "private")
    yield "of a pool for export", given(pointer_data("a"))
    yield "when that pool was exported", [given(pool_descriptor("o")), given(pointer_data("a"))]
    yield "of its last byte", pointer_data("a", 4095) == pointer_data("a")
    yield "of its end", given(pointer_data("a", 4096))
    yield "of a private pool", [given(pointer_data("p")), given(pool_descriptor("private"))]


@asked("a pool imported twice in a process is one pool, and so is a pointer of it")
def imported_pools():
    other = shared()
    yield "again", pool_passed(other, "q", pool_descriptor("o"))
    yield "another handle", other.ask(different_pools)
    yield "the pointer by the second", [other.ask(imported_pointer, "c", "q", pointer_data("a")), other.ask(look, "c")]
    yield "one memory", [other.ask(put, "b", 4), other.ask(look, "c"), look("a")]
    yield "destroy the first", [other.ask(pool_destroyed, "p"), other.ask(look, "b"), other.ask(look, "c")]
    yield "free", [other.ask(freed, "b"), other.ask(look, "c"), other.ask(freed, "c"), look("a")]


def different_pools():
    return number("p") != number("q")


@asked("memory of every size is imported from a pool with its size")
def pointer_sizes():
    pool("o")
    other = Other()
    pool_passed(other, "p", pool_descriptor("o"))
    for n, size in enumerate((64, 512, 4097, 2 << 20, (2 << 20) + 1, 40 << 20)):
        drawn(f"a{n}", "o", size, n + 1)
        yield f"{size}", [other.ask(imported_pointer, f"b{n}", "p", pointer_data(f"a{n}")),
                          other.ask(look, f"b{n}") == look(f"a{n}"),
                          other.ask(size_told, f"b{n}")]
    yield "used", used("o")
    yield "free the last there, then here", [other.ask(freed, "b5"), freed("a5"), used("o")]


def size_told(label):
    result = cu.cuMemGetAddressRange(number(label) + 3)
    return ask(result) if int(result[0]) else [number(label) == int(result[1]), int(result[2])]


def limited_pool(label, size):
    props = cu.CUmemPoolProps()
    props.allocType = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    props.handleTypes, props.location, props.maxSize = cu.CUmemAllocationHandleType(1), properties().location, size
    result = cu.cuMemPoolCreate(props)
    remembered[label] = int(result[1] or 0)
    return ask(result)


@asked("a pool with a largest size is exported, and refuses more at its owner alone")
def limited():
    yield "pool", limited_pool("o", 64 << 20)
    yield "memory", [drawn("a", "o", 32 << 20), drawn("c", "o", 128 << 20, 2)]
    other = Other()
    yield "import", [pool_passed(other, "p", pool_descriptor("o")),
                     other.ask(imported_pointer, "b", "p", pointer_data("a")), other.ask(look, "b")]
    yield "after the importer freed", [other.ask(freed, "b"), drawn("d", "o", 32 << 20, 3)]


@asked("an imported pointer is given back on any stream, by cuMemFree, or by its process's end, and once only")
def given_back():
    other = shared()
    for n, way in enumerate(("stream", "cuMemFree", "twice")):
        drawn(f"a{n}", "o")
        yield f"{way}: import", other.ask(imported_pointer, "c", "p", pointer_data(f"a{n}"))
        yield way, other.ask(given_back_by, way, "c")
        yield f"{way}: the exporter's", [look(f"a{n}"), freed(f"a{n}")]
    yield "its end", [other.kill(), look("a"), freed("a"), used("o")]


def given_back_by(way, label):
    a, stream = number(label), must(cu.cuStreamCreate(1))
    if way == "cuMemFree":
        return [ask(cu.cuMemFree(a)), look(label)]
    answers = [ask(cu.cuMemFreeAsync(a, stream)), ask(cu.cuStreamSynchronize(stream)), look(label)]
    return answers if way == "stream" else [*answers, ask(cu.cuMemFreeAsync(a, stream))]


@asked("what was cut from a pool after its export is imported like what was there before, in any order")
def later():
    pool("o")
    fd = pool_descriptor("o")
    drawn("first", "o", 4096, 1)
    other = Other()
    pool_passed(other, "p", fd)
    for n in range(5):
        drawn(f"a{n}", "o", 10000 * (n + 1), n + 2)
    order = (3, 0, 4, 1, 2)
    yield "import", [other.ask(imported_pointer, f"b{n}", "p", pointer_data(f"a{n}")) for n in order]
    yield "and the first", [other.ask(imported_pointer, "f", "p", pointer_data("first")), other.ask(look, "f")]
    yield "content", [other.ask(look, f"b{n}") == look(f"a{n}") for n in range(5)]
    yield "each its own", [[other.ask(put, "b2", 9), look("a2")], [look(f"a{n}") == other.ask(look, f"b{n}")
                                                                   for n in (0, 1, 3, 4)]]
    yield "the pool is destroyed, the pointers are not", [pool_destroyed("o"), look("a4"), other.ask(look, "b4")]


@asked("a pointer is imported in another context than its pool")
def context_of_importer():
    pool("o"), drawn("a", "o")
    other = Other()
    fd = pool_descriptor("o")
    yield "in a second context", other.ask(in_second_context, pointer_data("a"), fds=[fd])
    yield "the exporter", [look("a"), freed("a")]


def in_second_context(data, fd):
    """Import the pool in one context and the pointer in another; then destroy that one."""
    answers = [imported_pool("p", fd)]
    second = must(cu.cuCtxCreate(None, 0, 0))
    answers += [imported_pointer("b", "p", data), look("b"), put("b", 2)]
    answers.append(ask(cu.cuCtxDestroy(second)))
    return [*answers, look("b"), fill("b", 0x10), freed("b")]
