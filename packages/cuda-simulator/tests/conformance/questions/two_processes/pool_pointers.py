"""Pools for export: pointers of every size and kind, imported by either of two pools, given back in every way."""

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers.between import fill, look, number, put
from ...helpers.calls import ask, must
from ...helpers.memory_kinds import make, properties
from ...helpers.processes import OtherProcess, remembered
from ...helpers.shareable import export_status
from ...helpers.shared_pools import (
    destroy_pool,
    free_in_stream,
    import_pointer,
    import_pool,
    import_pool_in,
    pointer_data,
    pool,
    pool_descriptor,
    shared_pool,
    take_from_pool,
    used_memory,
)


@question("a pointer is exported from memory of a pool that may be, and from nothing else")
def exported_pointers():
    for kind in ("device", "stream-ordered", "managed", "pinned", "mapped", "pageable", "module variable", "null"):
        yield kind, lambda: ask(cu.cuMemPoolExportPointer(make(kind).address))
    pool("o"), pool("private", handle_type=0)
    take_from_pool("a", "o"), take_from_pool("p", "private")
    yield "of a pool for export", export_status(pointer_data("a"))
    yield "when that pool was exported", [export_status(pool_descriptor("o")), export_status(pointer_data("a"))]
    yield "of its last byte", pointer_data("a", 4095) == pointer_data("a")
    yield "of its end", export_status(pointer_data("a", 4096))
    yield "of a private pool", [export_status(pointer_data("p")), export_status(pool_descriptor("private"))]


@question("a pool imported twice in a process is one pool, and so is a pointer of it")
def imported_pools():
    importer = shared_pool()
    yield "again", import_pool_in(importer, "q", pool_descriptor("o"))
    yield "another handle", importer.ask(different_pools)
    yield "the pointer by the second", [importer.ask(import_pointer, "c", "q", pointer_data("a")), importer.ask(look, "c")]
    yield "one memory", [importer.ask(put, "b", 4), importer.ask(look, "c"), look("a")]
    yield "destroy the first", [importer.ask(destroy_pool, "p"), importer.ask(look, "b"), importer.ask(look, "c")]
    yield "free", [importer.ask(free_in_stream, "b"), importer.ask(look, "c"), importer.ask(free_in_stream, "c"), look("a")]


def different_pools():
    return number("p") != number("q")


@question("memory of every size is imported from a pool with its size")
def pointer_sizes():
    pool("o")
    importer = OtherProcess()
    import_pool_in(importer, "p", pool_descriptor("o"))
    for n, size in enumerate((64, 512, 4097, 2 << 20, (2 << 20) + 1, 40 << 20)):
        take_from_pool(f"a{n}", "o", size, n + 1)
        yield f"{size}", [importer.ask(import_pointer, f"b{n}", "p", pointer_data(f"a{n}")),
                          importer.ask(look, f"b{n}") == look(f"a{n}"),
                          importer.ask(range_of_pointer, f"b{n}")]
    yield "used", used_memory("o")
    yield "free the last there, then here", [importer.ask(free_in_stream, "b5"), free_in_stream("a5"), used_memory("o")]


def range_of_pointer(label):
    result = cu.cuMemGetAddressRange(number(label) + 3)
    return ask(result) if int(result[0]) else [number(label) == int(result[1]), int(result[2])]


def limited_pool(label, size):
    props = cu.CUmemPoolProps()
    props.allocType = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    props.handleTypes, props.location, props.maxSize = cu.CUmemAllocationHandleType(1), properties().location, size
    result = cu.cuMemPoolCreate(props)
    remembered[label] = int(result[1] or 0)
    return ask(result)


@question("a pool with a largest size is exported, and refuses more at its owner alone")
def limited():
    yield "pool", limited_pool("o", 64 << 20)
    yield "memory", [take_from_pool("a", "o", 32 << 20), take_from_pool("c", "o", 128 << 20, 2)]
    importer = OtherProcess()
    yield "import", [import_pool_in(importer, "p", pool_descriptor("o")),
                     importer.ask(import_pointer, "b", "p", pointer_data("a")), importer.ask(look, "b")]
    yield "after the importer freed", [importer.ask(free_in_stream, "b"), take_from_pool("d", "o", 32 << 20, 3)]


@question("an imported pointer is given back on any stream, by cuMemFree, or by its process's end, and once only")
def given_back():
    importer = shared_pool()
    for n, way in enumerate(("stream", "cuMemFree", "twice")):
        take_from_pool(f"a{n}", "o")
        yield f"{way}: import", importer.ask(import_pointer, "c", "p", pointer_data(f"a{n}"))
        yield way, importer.ask(given_back_by, way, "c")
        yield f"{way}: the exporter's", [look(f"a{n}"), free_in_stream(f"a{n}")]
    yield "its end", [importer.kill(), look("a"), free_in_stream("a"), used_memory("o")]


def given_back_by(way, label):
    a, stream = number(label), must(cu.cuStreamCreate(1))
    if way == "cuMemFree":
        return [ask(cu.cuMemFree(a)), look(label)]
    answers = [ask(cu.cuMemFreeAsync(a, stream)), ask(cu.cuStreamSynchronize(stream)), look(label)]
    return answers if way == "stream" else [*answers, ask(cu.cuMemFreeAsync(a, stream))]


@question("what was cut from a pool after its export is imported like what was there before, in any order")
def later():
    pool("o")
    fd = pool_descriptor("o")
    take_from_pool("first", "o", 4096, 1)
    importer = OtherProcess()
    import_pool_in(importer, "p", fd)
    for n in range(5):
        take_from_pool(f"a{n}", "o", 10000 * (n + 1), n + 2)
    order = (3, 0, 4, 1, 2)
    yield "import", [importer.ask(import_pointer, f"b{n}", "p", pointer_data(f"a{n}")) for n in order]
    yield "and the first", [importer.ask(import_pointer, "f", "p", pointer_data("first")), importer.ask(look, "f")]
    yield "content", [importer.ask(look, f"b{n}") == look(f"a{n}") for n in range(5)]
    yield "each its own", [[importer.ask(put, "b2", 9), look("a2")], [look(f"a{n}") == importer.ask(look, f"b{n}")
                                                                      for n in (0, 1, 3, 4)]]
    yield "the pool is destroyed, the pointers are not", [destroy_pool("o"), look("a4"), importer.ask(look, "b4")]


@question("a pointer is imported in another context than its pool")
def context_of_importer():
    pool("o"), take_from_pool("a", "o")
    importer = OtherProcess()
    fd = pool_descriptor("o")
    yield "in a second context", importer.ask(in_second_context, pointer_data("a"), fds=[fd])
    yield "the exporter", [look("a"), free_in_stream("a")]


def in_second_context(data, fd):
    """Import the pool in one context and the pointer in another; then destroy that one."""
    answers = [import_pool("p", fd)]
    second = must(cu.cuCtxCreate(None, 0, 0))
    answers += [import_pointer("b", "p", data), look("b"), put("b", 2)]
    answers.append(ask(cu.cuCtxDestroy(second)))
    return [*answers, look("b"), fill("b", 0x10), free_in_stream("b")]
