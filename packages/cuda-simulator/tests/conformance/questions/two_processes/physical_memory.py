"""Physical memory as a file descriptor that another process imports: content, rights, sizes, what it says of itself."""
import functools
import os

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.between import attributes, fill, host_bytes, host_put, keep, look, number, put, seen
from ...helpers.calls import ask, must, outcome
from ...helpers.memory_kinds import LARGE, location, reserve, set_access
from ...helpers.others import Other, listed, remembered, same
from ...helpers.shareable import described, descriptor, given, imported, ours, passed, physical, shown

asked = functools.partial(question, others=True)


@asked("an imported descriptor shows the same bytes, at an address of the importer's choice", varies={"address": "the driver's choice"})
def same_bytes():
    ours()
    other = Other()
    yield "import", passed(other, "k", descriptor("h"))
    yield "map", other.ask(shown, "b", "k")
    yield "address", same(number("a"), other.ask(number, "b"))
    yield "a copy finds what the exporter wrote", other.ask(look, "b")
    yield "a kernel too", other.ask(seen, "b", 1)
    yield "what it writes by a copy", [other.ask(put, "b", 7), look("a")]
    yield "by a kernel", [other.ask(fill, "b", 0x30), look("a"), seen("a", 2)]
    yield "what the exporter writes by a kernel then", [fill("a", 0x50), other.ask(look, "b"), other.ask(seen, "b", 3)]
    yield "at the end", [put("a", 4, 4, LARGE - 4), other.ask(look, "b", 4, LARGE - 4), other.ask(look, "b", 5, LARGE - 4)]


@asked("both processes may use the same address")
def one_address():
    ours()
    other = Other()
    passed(other, "k", descriptor("h"))
    yield "asked for", other.ask(shown_at, "b", "k", number("a"))


def shown_at(label, handle, wanted):
    address = int(must(cu.cuMemAddressReserve(LARGE, 0, wanted, 0)))
    if address != wanted:
        return "another address was given"
    remembered[label] = address
    return [ask(cu.cuMemMap(address, LARGE, 0, number(handle), 0)), ask(set_access(address, LARGE)), look(label)]


@asked("rights are each process's own")
def rights():
    ours()
    for right in (None, "none", "read", "read and write"):
        other = Other()
        passed(other, "k", descriptor("h"))
        yield f"{right}: map", other.ask(shown, "b", "k", LARGE, right)
        yield f"{right}: copy from it", other.ask(look, "b")
        yield f"{right}: copy to it", other.ask(put, "b", 3)
        yield f"{right}: memset", other.ask(memset, "b")
        yield f"{right}: kernel reads", other.ask(seen, "b")
        yield f"{right}: kernel writes", other.ask(fill, "b", 0x40)
        yield f"{right}: the exporter's", [fill("a", 0x10), look("a")]


def memset(label):
    code = ask(cu.cuMemsetD8(number(label), 5, 4))
    return [code, ask(cu.cuCtxSynchronize())]


@asked("a descriptor tells no size: what is mapped has to be all of it")
def sizes():
    ours(2 * LARGE)
    other = Other()
    yield "import", passed(other, "k", descriptor("h"))
    for label, size, offset in (("half", LARGE, 0), ("the second half", LARGE, LARGE), ("more", 3 * LARGE, 0), ("a page", 4096, 0), ("nothing", 0, 0)):
        yield label, other.ask(mapped_part, "k", size, offset)
    yield "all", other.ask(shown, "b", "k", 2 * LARGE)
    yield "all, twice", other.ask(shown, "c", "k", 2 * LARGE)
    yield "unmap half", other.ask(unmapped_part, "b", LARGE)
    yield "one memory", [other.ask(put, "c", 5), other.ask(look, "b"), look("a")]


def mapped_part(handle, size, offset):
    return ask(cu.cuMemMap(reserve(4 * LARGE), size, offset, number(handle), 0))


def unmapped_part(label, size):
    return ask(cu.cuMemUnmap(number(label), size))


@asked("an imported handle has the properties that it was made with")
def importer_properties():
    for place in ("device", "host numa", "host"):
        other = Other()
        yield f"{place}: create", (created := physical("h", place=place))
        if created != "SUCCESS":
            continue
        fd = descriptor("h")
        yield f"{place}: export", given(fd)
        yield f"{place}: import", passed(other, "k", fd)
        yield f"{place}: at its maker", described("h")
        yield f"{place}: imported", other.ask(described, "k")


@asked("what is mapped from an import says of itself what its maker's does")
def importer_attributes():
    ours()
    other = Other()
    passed(other, "k", descriptor("h"))
    other.ask(shown, "b", "k")
    answers = other.ask(attributes, "b")
    yield from listed(answers)
    yield "as at its maker", answers == attributes("a")


@asked("memory of the host is shared by a descriptor, and each host needs its own right")
def host_memory():
    physical("h", place="host numa")
    yield "map", [shown("a", "h"), ask(set_access(number("a"), LARGE, "read and write", "host numa"))]
    yield "write", host_put("a", 0x21)
    other = Other()
    yield "import", passed(other, "k", descriptor("h"))
    yield "map there", other.ask(shown, "b", "k")
    yield "a kernel there", other.ask(seen, "b")
    other.ask(host_right, "b")
    yield "the host there", other.ask(host_bytes, "b")
    yield "it writes", [other.ask(host_put, "b", 0x43), host_bytes("a"), seen("a")]
    third = Other()
    passed(third, "k", descriptor("h"))
    third.ask(shown, "b", "k")
    yield "a host without a right", third.ask(host_bytes, "b")


def host_right(label):
    return ask(set_access(number(label), LARGE, "read and write", "host numa"))


@asked("a handle's number means nothing in another process", varies="the driver may take the number for an address of its own")
def numbers():
    for n in range(8):    # past the numbers that the other process has
        physical(f"h{n}")
    for label in ("map", "release", "export", "properties"):
        yield label, Other().ask(by_number, label, number("h7"))


def by_number(what, handle):
    physical("own")    # so that this process has tables of its own
    calls = {"map": lambda: cu.cuMemMap(reserve(), LARGE, 0, handle, 0), "release": lambda: cu.cuMemRelease(handle),
             "properties": lambda: cu.cuMemGetAllocationPropertiesFromHandle(handle), "export": lambda: cu.cuMemExportToShareableHandle(
                 handle, cu.CUmemAllocationHandleType(1), 0)}
    return "one of its own" if handle == number("own") else ask(calls[what]())


@asked("importing wants a descriptor of physical memory")
def wrong_descriptors():
    ours()
    other = Other()
    null = os.open("/dev/null", os.O_RDWR)
    yield "/dev/null", passed(other, "k", null)
    control = os.open("/dev/nvidiactl", os.O_RDWR) if os.path.exists("/dev/nvidiactl") else os.open("/dev/zero", os.O_RDWR)
    yield "the driver's own device file", passed(other, "k", control)
    yield "a closed one", other.ask(imported_number, 900)
    yield "a good one, closed", other.ask(closed_before, fds=[descriptor("h")])
    yield "a good one, in a process without a context", Other(None).ask(initialized_only, fds=[descriptor("h")])
    yield "without cuInit", Other(None).ask(imported, "k", fds=[descriptor("h")])


def imported_number(fd):
    return keep("k", cu.cuMemImportFromShareableHandle(fd, cu.CUmemAllocationHandleType(1)))


def closed_before(fd):
    os.close(fd)
    return imported_number(fd)


def initialized_only(fd):
    must(cu.cuInit(0))
    answers = [imported("k", fd)]
    return [*answers, shown("b", "k"), outcome(cu.cuMemGetAccess(location(), number("b"))), look("b")]


@asked("where the device of the memory is not visible, it cannot be imported", devices=2)
def invisible_device():
    ours()
    for visible in ("0", "1", "1,0"):
        other = Other(0, CUDA_VISIBLE_DEVICES=visible)
        yield f"{visible}: import", passed(other, "k", descriptor("h"))
        yield f"{visible}: located on", other.ask(described, "k")
        yield f"{visible}: map, with a right for its device 0", other.ask(shown, "b", "k")
        yield f"{visible}: content", other.ask(look, "b")
