"""Pools of memory that another process imports, and the pointers into them."""
import functools
import os

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.between import attributes, copied, fill, look, measured, number, put, seen
from ...helpers.calls import ask, must, outcome, raw
from ...helpers.memory_kinds import access, location
from ...helpers.others import Other, listed, remembered, same
from ...helpers.shareable import descriptor, given, imported, offered, physical
from ...helpers.shared_pools import (
    ATTRIBUTES,
    drawn,
    freed,
    imported_pointer,
    imported_pool,
    pointer_data,
    pool,
    pool_access,
    pool_descriptor,
    pool_passed,
    shared,
    used,
)

asked = functools.partial(question, others=True)


@asked("a pointer into an imported pool shows the same bytes", varies={"address": "the driver's choice"})
def same_bytes():
    yield "pool", [pool("o"), drawn("a", "o")]
    other = Other()
    yield "import the pool", pool_passed(other, "p", pool_descriptor("o"))
    yield "import the pointer", other.ask(imported_pointer, "b", "p", pointer_data("a"))
    yield "address", same(number("a"), other.ask(number, "b"))
    yield "a copy finds what the exporter wrote", other.ask(look, "b")
    yield "a kernel too", other.ask(seen, "b", 1)
    yield "it writes by a copy", [other.ask(put, "b", 7), look("a")]
    yield "it writes by a kernel", [other.ask(fill, "b", 0x30), look("a")]
    yield "range", [measured("a"), other.ask(measured, "b")]
    yield "beyond the end", [other.ask(copied, "b", 4, 4096), copied("a", 4, 4096)]
    yield "allocated after the import", [drawn("c", "o", 5000, 4), other.ask(imported_pointer, "d", "p", pointer_data("c")), other.ask(look, "d")]


@asked("an imported pool gives no new memory, and is nobody's current pool")
def no_new_memory():
    other = shared()
    yield "allocate", other.ask(drawn, "c", "p")
    yield "make it the device's", other.ask(made_current, "p")
    yield "the exporter allocates on", drawn("c", "o")


def made_current(label):
    return [ask(cu.cuDeviceSetMemPool(0, number(label))), int(must(cu.cuDeviceGetMemPool(0))) == number(label), ask(cu.cuMemAllocAsync(100, 0))]


@asked("an imported pool tells of its attributes, and none of them can be set")
def pool_attributes():
    other = shared()
    yield from listed(other.ask(said_of_pool, "p"))
    yield "the exporter's", [used("o"), look("a")]


def said_of_pool(label):
    handle, answers = number(label), {}
    for name, attribute in ATTRIBUTES.items():
        answers[name] = outcome(cu.cuMemPoolGetAttribute(handle, attribute))
        answers[f"set {name}"] = ask(cu.cuMemPoolSetAttribute(handle, attribute, cu.cuuint64_t(0) if int(attribute) > 3 else 1))
    answers["trim"] = ask(cu.cuMemPoolTrimTo(handle, 0))
    answers["access"] = outcome(cu.cuMemPoolGetAccess(handle, location()))
    for rights in ("read", "none", "read and write"):
        answers[f"set access: {rights}"] = [ask(cu.cuMemPoolSetAccess(handle, [access(rights)], 1)), outcome(cu.cuMemPoolGetAccess(handle, location())), look("b")]
    fd = pool_descriptor(label)
    answers["export again"] = given(fd)
    data = pointer_data("b")
    answers["export its pointer"] = given(data)
    return answers


@asked("an imported pointer says of itself what the exporter's does")
def pointer_attributes():
    other = shared()
    answers = other.ask(attributes, "b")
    yield from listed(answers)
    yield "as the exporter's", answers == attributes("a")
    yield "an IPC handle of it", [given(offered("a")), given(other.ask(offered, "b"))]


@asked("what is no pool, no pointer into it, or not for it, is not imported")
def wrong():
    other = shared()
    physical("h")
    fd = descriptor("h")
    yield "a descriptor of physical memory as a pool", pool_passed(Other(), "q", fd)
    yield "a descriptor of a pool as physical memory", Other().ask(imported, "k", fds=[pool_descriptor("o")])
    reading, writing = os.pipe()
    yield "a pipe", pool_passed(other, "q", reading)
    os.close(writing)
    yield "zeros", other.ask(imported_pointer, "c", "p", bytes(64))
    pool("second"), drawn("x", "second")
    yield "a pointer of another pool", Other().ask(first_pool_second_pointer, pointer_data("x"), fds=[pool_descriptor("o")])
    yield "from inside", [given(pointer_data("a", 512)), pointer_data("a", 512) == pointer_data("a")]
    freed("x")
    yield "of a freed one", given(pointer_data("x"))
    for kind in (0, 2, 8):
        yield f"export as type {kind}", given(outcome(cu.cuMemPoolExportToShareableHandle(number("o"), cu.CUmemAllocationHandleType(kind), 0)))
    yield "export with flags", given(pool_descriptor("o", flags=1))
    yield "import with flags", imported_pool("r", pool_descriptor("o"), flags=1)
    yield "a null output", raw("cuMemPoolExportToShareableHandle", None, number("o"), 1, 0)


def first_pool_second_pointer(data, fd):
    return [imported_pool("p", fd), imported_pointer("b", "p", data), look("b")]


@asked("a process may import a pool of its own")
def own():
    pool("o"), drawn("a", "o")
    yield "import", imported_pool("p", pool_descriptor("o"))
    yield "another handle", number("p") != number("o") if "p" in remembered else None
    yield "its pointer", imported_pointer("b", "p", pointer_data("a"))
    yield "the same bytes", look("b")
    yield "address", same(number("a"), number("b")) if "b" in remembered else None
    yield "free", [freed("b"), look("a"), freed("a")]


@asked("pools of the host that are to be exported name a NUMA node")
def host_pools():
    for place in ("host", "host numa"):
        yield f"{place}: pool", (created := pool("o", place))
        if created != "SUCCESS":
            continue
        yield f"{place}: access", ask(cu.cuMemPoolSetAccess(number("o"), [access("read and write")], 1))
        yield f"{place}: memory", drawn("a", "o")
        other = Other()
        yield f"{place}: import", pool_passed(other, "p", pool_descriptor("o"))
        yield f"{place}: pointer", other.ask(imported_pointer, "b", "p", pointer_data("a"))
        yield f"{place}: access there", other.ask(pool_access, "p")
        yield f"{place}: content", [other.ask(look, "b"), other.ask(seen, "b")]
