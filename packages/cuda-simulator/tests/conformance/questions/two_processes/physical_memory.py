"""Physical memory as a file descriptor that another process imports: content, rights, sizes, what it says of itself."""
import os

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers.between import attributes, fill, host_bytes, host_put, keep, kernel_byte, look, number, put
from ...helpers.calls import ask, must, outcome
from ...helpers.memory_kinds import LARGE, location, reserve, set_access
from ...helpers.processes import OtherProcess, answer_items, remembered, same_number
from ...helpers.shareable import (
    create_physical,
    descriptor,
    export_status,
    exportable_memory,
    handle_properties,
    import_in,
    import_memory,
    map_memory,
)


@question("an imported descriptor shows the same bytes, at an address of the importer's choice", varies={"address": "the driver's choice"})
def same_bytes():
    exportable_memory()
    importer = OtherProcess()
    yield "import", import_in(importer, "k", descriptor("h"))
    yield "map", importer.ask(map_memory, "b", "k")
    yield "address", same_number(number("a"), importer.ask(number, "b"))
    yield "a copy finds what the exporter wrote", importer.ask(look, "b")
    yield "a kernel too", importer.ask(kernel_byte, "b", 1)
    yield "what it writes by a copy", [importer.ask(put, "b", 7), look("a")]
    yield "by a kernel", [importer.ask(fill, "b", 0x30), look("a"), kernel_byte("a", 2)]
    yield "what the exporter writes by a kernel then", [fill("a", 0x50), importer.ask(look, "b"), importer.ask(kernel_byte, "b", 3)]
    yield "at the end", [put("a", 4, 4, LARGE - 4), importer.ask(look, "b", 4, LARGE - 4), importer.ask(look, "b", 5, LARGE - 4)]


@question("both processes may use the same address")
def one_address():
    exportable_memory()
    importer = OtherProcess()
    import_in(importer, "k", descriptor("h"))
    yield "asked for", importer.ask(shown_at, "b", "k", number("a"))


def shown_at(label, handle, wish):
    address = int(must(cu.cuMemAddressReserve(LARGE, 0, wish, 0)))
    if address != wish:
        return "another address was given"
    remembered[label] = address
    return [ask(cu.cuMemMap(address, LARGE, 0, number(handle), 0)), ask(set_access(address, LARGE)), look(label)]


@question("rights are each process's own")
def rights():
    exportable_memory()
    for right in (None, "none", "read", "read and write"):
        importer = OtherProcess()
        import_in(importer, "k", descriptor("h"))
        yield f"{right}: map", importer.ask(map_memory, "b", "k", LARGE, right)
        yield f"{right}: copy from it", importer.ask(look, "b")
        yield f"{right}: copy to it", importer.ask(put, "b", 3)
        yield f"{right}: memset", importer.ask(memset, "b")
        yield f"{right}: kernel reads", importer.ask(kernel_byte, "b")
        yield f"{right}: kernel writes", importer.ask(fill, "b", 0x40)
        yield f"{right}: the exporter's", [fill("a", 0x10), look("a")]


def memset(label):
    code = ask(cu.cuMemsetD8(number(label), 5, 4))
    return [code, ask(cu.cuCtxSynchronize())]


@question("a descriptor tells no size: what is mapped has to be all of it")
def sizes():
    exportable_memory(2 * LARGE)
    importer = OtherProcess()
    yield "import", import_in(importer, "k", descriptor("h"))
    for label, size, offset in (("half", LARGE, 0), ("the second half", LARGE, LARGE), ("more", 3 * LARGE, 0), ("a page", 4096, 0), ("nothing", 0, 0)):
        yield label, importer.ask(mapped_part, "k", size, offset)
    yield "all", importer.ask(map_memory, "b", "k", 2 * LARGE)
    yield "all, twice", importer.ask(map_memory, "c", "k", 2 * LARGE)
    yield "unmap half", importer.ask(unmapped_part, "b", LARGE)
    yield "one memory", [importer.ask(put, "c", 5), importer.ask(look, "b"), look("a")]


def mapped_part(handle, size, offset):
    return ask(cu.cuMemMap(reserve(4 * LARGE), size, offset, number(handle), 0))


def unmapped_part(label, size):
    return ask(cu.cuMemUnmap(number(label), size))


@question("an imported handle has the properties that it was made with")
def importer_properties():
    for place in ("device", "host numa", "host"):
        importer = OtherProcess()
        yield f"{place}: create", (created := create_physical("h", place=place))
        if created != "SUCCESS":
            continue
        fd = descriptor("h")
        yield f"{place}: export", export_status(fd)
        yield f"{place}: import", import_in(importer, "k", fd)
        yield f"{place}: at its maker", handle_properties("h")
        yield f"{place}: imported", importer.ask(handle_properties, "k")


@question("what is mapped from an import says of itself what its maker's does")
def importer_attributes():
    exportable_memory()
    importer = OtherProcess()
    import_in(importer, "k", descriptor("h"))
    importer.ask(map_memory, "b", "k")
    answers = importer.ask(attributes, "b")
    yield from answer_items(answers)
    yield "as at its maker", answers == attributes("a")


@question("memory of the host is shared by a descriptor, and each host needs its own right")
def host_memory():
    create_physical("h", place="host numa")
    yield "map", [map_memory("a", "h"), ask(set_access(number("a"), LARGE, "read and write", "host numa"))]
    yield "write", host_put("a", 0x21)
    importer = OtherProcess()
    yield "import", import_in(importer, "k", descriptor("h"))
    yield "map there", importer.ask(map_memory, "b", "k")
    yield "a kernel there", importer.ask(kernel_byte, "b")
    importer.ask(host_right, "b")
    yield "the host there", importer.ask(host_bytes, "b")
    yield "it writes", [importer.ask(host_put, "b", 0x43), host_bytes("a"), kernel_byte("a")]
    third = OtherProcess()
    import_in(third, "k", descriptor("h"))
    third.ask(map_memory, "b", "k")
    yield "a host without a right", third.ask(host_bytes, "b")


def host_right(label):
    return ask(set_access(number(label), LARGE, "read and write", "host numa"))


@question("a handle's number means nothing in another process", varies="the driver may take the number for an address of its own")
def numbers():
    for n in range(8):    # past the numbers that the other process has
        create_physical(f"h{n}")
    for label in ("map", "release", "export", "properties"):
        yield label, OtherProcess().ask(by_number, label, number("h7"))


def by_number(number_, handle):
    create_physical("own")    # so that this process has tables of its own
    calls = {"map": lambda: cu.cuMemMap(reserve(), LARGE, 0, handle, 0), "release": lambda: cu.cuMemRelease(handle),
             "properties": lambda: cu.cuMemGetAllocationPropertiesFromHandle(handle), "export": lambda: cu.cuMemExportToShareableHandle(
                 handle, cu.CUmemAllocationHandleType(1), 0)}
    return "one of its own" if handle == number("own") else ask(calls[number_]())


@question("importing wants a descriptor of physical memory")
def wrong_descriptors():
    exportable_memory()
    importer = OtherProcess()
    null = os.open("/dev/null", os.O_RDWR)
    yield "/dev/null", import_in(importer, "k", null)
    control = os.open("/dev/nvidiactl", os.O_RDWR) if os.path.exists("/dev/nvidiactl") else os.open("/dev/zero", os.O_RDWR)
    yield "the driver's own device file", import_in(importer, "k", control)
    yield "a closed one", importer.ask(imported_number, 900)
    yield "a good one, closed", importer.ask(closed_before, fds=[descriptor("h")])
    yield "a good one, in a process without a context", OtherProcess(None).ask(initialized_only, fds=[descriptor("h")])
    yield "without cuInit", OtherProcess(None).ask(import_memory, "k", fds=[descriptor("h")])


def imported_number(fd):
    return keep("k", cu.cuMemImportFromShareableHandle(fd, cu.CUmemAllocationHandleType(1)))


def closed_before(fd):
    os.close(fd)
    return imported_number(fd)


def initialized_only(fd):
    must(cu.cuInit(0))
    answers = [import_memory("k", fd)]
    return [*answers, map_memory("b", "k"), outcome(cu.cuMemGetAccess(location(), number("b"))), look("b")]


@question("where the device of the memory is not visible, it cannot be imported", devices=2)
def invisible_device():
    exportable_memory()
    for visible in ("0", "1", "1,0"):
        importer = OtherProcess(0, CUDA_VISIBLE_DEVICES=visible)
        yield f"{visible}: import", import_in(importer, "k", descriptor("h"))
        yield f"{visible}: located on", importer.ask(handle_properties, "k")
        yield f"{visible}: map, with a right for its device 0", importer.ask(map_memory, "b", "k")
        yield f"{visible}: content", importer.ask(look, "b")
