"""Who keeps a pool that a file descriptor passed on, and its pointers: freed on either side, in either order."""
import functools

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.between import fill, look, number, word
from ...helpers.calls import ask
from ...helpers.others import Other, same
from ...helpers.shared_pools import (
    drawn,
    freed,
    imported_pointer,
    imported_pool,
    pointer_data,
    pool,
    pool_descriptor,
    pool_destroyed,
    shared,
    used,
)

asked = functools.partial(question, others=True)


@word
def freed_at_once(label):
    return ask(cu.cuMemFree(number(label)))


@asked("a pointer is freed by its importer, then by its exporter")
def freed_in_order():
    for way in (freed, freed_at_once):
        other = shared()
        yield f"{way.__name__}: importer", [other.ask(way, "b"), used("o")]
        yield f"{way.__name__}: importer reads", other.ask(look, "b")
        yield f"{way.__name__}: importer again", other.ask(way, "b")
        yield f"{way.__name__}: exporter reads", look("a")
        yield f"{way.__name__}: exporter", [way("a"), used("o")]
        yield f"{way.__name__}: exporter again", way("a")


@asked("a pointer whose exporter frees it first is the importer's no longer", varies={"importer reads": "not defined", "importer reads, when it was given again": "not defined"})
def freed_first():
    other = shared()
    data = pointer_data("a")
    yield "exporter", [freed("a"), used("o")]
    yield "importer reads", other.ask(look, "b")
    yield "given again", drawn("c", "o", 4096, 5)
    yield "importer reads, when it was given again", other.ask(look, "b")
    yield "importer", other.ask(freed, "b")
    yield "import it again", other.ask(imported_pointer, "d", "p", data)


@asked("a pointer may be imported twice, and has the same address both times")
def imported_twice():
    other = shared()
    yield "again", [other.ask(imported_pointer, "c", "p", pointer_data("a")), same(other.ask(number, "b"), other.ask(number, "c"))]
    yield "free one", [other.ask(freed, "b"), other.ask(look, "c")]
    yield "free the other", [other.ask(freed, "c"), other.ask(look, "c")]
    yield "import it once more", [other.ask(imported_pointer, "d", "p", pointer_data("a")), other.ask(look, "d")]


@asked("a pool that is destroyed on either side leaves its pointers")
def destroyed_pool():
    other = shared()
    yield "importer destroys its own", other.ask(pool_destroyed, "p")
    yield "importer reads", other.ask(look, "b")
    yield "importer frees", other.ask(freed, "b")
    yield "import a pointer into it", other.ask(imported_pointer, "c", "p", pointer_data("a")) if other.end is None else other.end
    second = shared()
    yield "exporter destroys", pool_destroyed("o")
    yield "importer reads then", second.ask(look, "b")
    yield "the exporter too", look("a")
    yield "free", [second.ask(freed, "b"), freed("a")]


@asked("a pool's exporter dies: its importer keeps the memory")
def exporter_dies():
    for how in ("kill", "leave"):
        exporter = Other()
        exporter.ask(pool, "o"), exporter.ask(drawn, "a", "o")
        fd, data = exporter.ask(pool_descriptor, "o"), exporter.ask(pointer_data, "a")
        yield f"{how}: import", [imported_pool("p", fd) if isinstance(fd, int) else fd, imported_pointer("b", "p", data)]
        getattr(exporter, how)()
        yield f"{how}: copy", look("b")
        yield f"{how}: kernel writes", [fill("b", 0x11), look("b")]
        yield f"{how}: import the pointer again", imported_pointer("c", "p", data)
        yield f"{how}: give back", [freed("b"), pool_destroyed("p")]
