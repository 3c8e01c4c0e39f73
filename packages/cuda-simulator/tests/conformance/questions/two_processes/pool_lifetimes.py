"""Who keeps a pool that a file descriptor passed on, and its pointers: freed on either side, in either order."""

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers.between import fill, look, number, word
from ...helpers.calls import ask
from ...helpers.processes import OtherProcess, same_number
from ...helpers.shared_pools import (
    destroy_pool,
    free_in_stream,
    import_pointer,
    import_pool,
    pointer_data,
    pool,
    pool_descriptor,
    shared_pool,
    take_from_pool,
    used_memory,
)


@word
def free_at_once(label):
    return ask(cu.cuMemFree(number(label)))


@question("a pointer is freed by its importer, then by its exporter")
def freed_in_order():
    for way, free in {"freed": free_in_stream, "freed_at_once": free_at_once}.items():
        importer = shared_pool()
        yield f"{way}: importer", [importer.ask(free, "b"), used_memory("o")]
        yield f"{way}: importer reads", importer.ask(look, "b")
        yield f"{way}: importer again", importer.ask(free, "b")
        yield f"{way}: exporter reads", look("a")
        yield f"{way}: exporter", [free("a"), used_memory("o")]
        yield f"{way}: exporter again", free("a")


@question("a pointer whose exporter frees it first is the importer's no longer", varies={"importer reads": "not defined", "importer reads, when it was given again": "not defined"})
def freed_first():
    importer = shared_pool()
    data = pointer_data("a")
    yield "exporter", [free_in_stream("a"), used_memory("o")]
    yield "importer reads", importer.ask(look, "b")
    yield "given again", take_from_pool("c", "o", 4096, 5)
    yield "importer reads, when it was given again", importer.ask(look, "b")
    yield "importer", importer.ask(free_in_stream, "b")
    yield "import it again", importer.ask(import_pointer, "d", "p", data)


@question("a pointer may be imported twice, and has the same address both times")
def imported_twice():
    importer = shared_pool()
    yield "again", [importer.ask(import_pointer, "c", "p", pointer_data("a")),
                    same_number(importer.ask(number, "b"), importer.ask(number, "c"))]
    yield "free one", [importer.ask(free_in_stream, "b"), importer.ask(look, "c")]
    yield "free the other", [importer.ask(free_in_stream, "c"), importer.ask(look, "c")]
    yield "import it once more", [importer.ask(import_pointer, "d", "p", pointer_data("a")), importer.ask(look, "d")]


@question("a pool that is destroyed on either side leaves its pointers")
def destroyed_pool():
    importer = shared_pool()
    yield "importer destroys its own", importer.ask(destroy_pool, "p")
    yield "importer reads", importer.ask(look, "b")
    yield "importer frees", importer.ask(free_in_stream, "b")
    yield "import a pointer into it", importer.ask(import_pointer, "c", "p", pointer_data("a")) if importer.end is None else importer.end
    second = shared_pool()
    yield "exporter destroys", destroy_pool("o")
    yield "importer reads then", second.ask(look, "b")
    yield "the exporter too", look("a")
    yield "free", [second.ask(free_in_stream, "b"), free_in_stream("a")]


@question("a pool's exporter dies: its importer keeps the memory")
def exporter_dies():
    for how in ("kill", "leave"):
        exporter = OtherProcess()
        exporter.ask(pool, "o"), exporter.ask(take_from_pool, "a", "o")
        fd, data = exporter.ask(pool_descriptor, "o"), exporter.ask(pointer_data, "a")
        yield f"{how}: import", [import_pool("p", fd) if isinstance(fd, int) else fd, import_pointer("b", "p", data)]
        getattr(exporter, how)()
        yield f"{how}: copy", look("b")
        yield f"{how}: kernel writes", [fill("b", 0x11), look("b")]
        yield f"{how}: import the pointer again", import_pointer("c", "p", data)
        yield f"{how}: give back", [free_in_stream("b"), destroy_pool("p")]
