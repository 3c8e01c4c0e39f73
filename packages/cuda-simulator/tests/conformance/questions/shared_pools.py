"""Pools of memory that another process imports, and the pointers into them."""
import functools
import os

from cuda.bindings import driver as cu

from ...structures import bytes_of, put_bytes
from ..asking import question
from ..between import attributes, copied, fill, keep, look, measured, number, put, seen, word
from ..calls import ask, must, raw, told
from ..memory_kinds import access, location
from ..others import Descriptor, Other, kept, listed, same
from ..shareable import POSIX, descriptor, given, imported, offered, physical

asked = functools.partial(question, others=True)
ATTRIBUTES = {one.name.replace("CU_MEMPOOL_ATTR_", ""): one for one in cu.CUmemPool_attribute if "HIGH" not in one.name and int(one) < 9}


@word
def pool(label, place="device", ordinal=0, handle_type=1):
    """A pool that may be exported."""
    props = cu.CUmemPoolProps()
    props.allocType = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    props.handleTypes, props.location = cu.CUmemAllocationHandleType(handle_type), location(place, ordinal)
    return keep(label, cu.cuMemPoolCreate(props))


@word
def drawn(label, source, size=4096, seed=1):
    """Memory from a pool, with a pattern."""
    code = keep(label, cu.cuMemAllocFromPoolAsync(size, number(source), 0))
    return code if code != "SUCCESS" else put(label, seed, 64)


@word
def pool_descriptor(label, kind=POSIX, flags=0):
    fd = told(cu.cuMemPoolExportToShareableHandle(number(label), kind, flags))
    return fd if isinstance(fd, str) else Descriptor(fd)


@word
def imported_pool(label, fd, kind=POSIX, flags=0):
    """Import a pool, and close the descriptor."""
    code = keep(label, cu.cuMemPoolImportFromShareableHandle(fd, kind, flags))
    os.close(fd)
    return code


@word
def pointer_data(label, offset=0):
    """What another process imports a pointer by: bytes, or the error's name."""
    return told(cu.cuMemPoolExportPointer(number(label) + offset), as_=bytes_of)


@word
def imported_pointer(label, source, data):
    if isinstance(data, str):
        return f"no pointer: {data}"
    given = cu.CUmemPoolPtrExportData()
    put_bytes(given, data)
    return keep(label, cu.cuMemPoolImportPointer(number(source), given))


def pool_passed(other, label, fd):
    if isinstance(fd, str):
        return f"no descriptor: {fd}"
    code = other.ask(imported_pool, label, fds=[fd])
    os.close(fd)
    return code


def shared():
    """Pool "o" of this process with memory "a", and another that has them as "p" and "b"."""
    pool("o"), drawn("a", "o")
    other = Other()
    pool_passed(other, "p", pool_descriptor("o"))
    other.ask(imported_pointer, "b", "p", pointer_data("a"))
    return other


@word
def freed(label):
    return [ask(cu.cuMemFreeAsync(number(label), 0)), ask(cu.cuStreamSynchronize(0))]


@word
def pool_destroyed(label):
    return ask(cu.cuMemPoolDestroy(number(label)))


@word
def used(label):
    return told(cu.cuMemPoolGetAttribute(number(label), ATTRIBUTES["USED_MEM_CURRENT"]))


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
    one, answers = number(label), {}
    for name, attribute in ATTRIBUTES.items():
        answers[name] = told(cu.cuMemPoolGetAttribute(one, attribute))
        answers[f"set {name}"] = ask(cu.cuMemPoolSetAttribute(one, attribute, cu.cuuint64_t(0) if int(attribute) > 3 else 1))
    answers["trim"] = ask(cu.cuMemPoolTrimTo(one, 0))
    answers["access"] = told(cu.cuMemPoolGetAccess(one, location()))
    for rights in ("read", "none", "read and write"):
        answers[f"set access: {rights}"] = [ask(cu.cuMemPoolSetAccess(one, [access(rights)], 1)), told(cu.cuMemPoolGetAccess(one, location())), look("b")]
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
        yield f"export as type {kind}", given(told(cu.cuMemPoolExportToShareableHandle(number("o"), cu.CUmemAllocationHandleType(kind), 0)))
    yield "export with flags", given(pool_descriptor("o", flags=1))
    yield "import with flags", imported_pool("r", pool_descriptor("o"), flags=1)
    yield "a null output", raw("cuMemPoolExportToShareableHandle", None, number("o"), 1, 0)


def first_pool_second_pointer(data, fd):
    return [imported_pool("p", fd), imported_pointer("b", "p", data), look("b")]


@asked("a process may import a pool of its own")
def own():
    pool("o"), drawn("a", "o")
    yield "import", imported_pool("p", pool_descriptor("o"))
    yield "another handle", number("p") != number("o") if "p" in kept else None
    yield "its pointer", imported_pointer("b", "p", pointer_data("a"))
    yield "the same bytes", look("b")
    yield "address", same(number("a"), number("b")) if "b" in kept else None
    yield "free", [freed("b"), look("a"), freed("a")]


@asked("pools of the host that are to be exported name a NUMA node")
def host_pools():
    for place in ("host", "host numa"):
        yield f"{place}: pool", (made := pool("o", place))
        if made != "SUCCESS":
            continue
        yield f"{place}: access", ask(cu.cuMemPoolSetAccess(number("o"), [access("read and write")], 1))
        yield f"{place}: memory", drawn("a", "o")
        other = Other()
        yield f"{place}: import", pool_passed(other, "p", pool_descriptor("o"))
        yield f"{place}: pointer", other.ask(imported_pointer, "b", "p", pointer_data("a"))
        yield f"{place}: access there", other.ask(pool_access, "p")
        yield f"{place}: content", [other.ask(look, "b"), other.ask(seen, "b")]


def pool_access(label):
    return [told(cu.cuMemPoolGetAccess(number(label), location())), ask(cu.cuMemPoolSetAccess(number(label), [access("read and write")], 1)),
            told(cu.cuMemPoolGetAccess(number(label), location()))]
