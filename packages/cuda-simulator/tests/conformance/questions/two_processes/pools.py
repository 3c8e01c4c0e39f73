"""Pools of memory that another process imports, and the pointers into them."""
import os

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers.between import address_range, attributes, copy_code, fill, kernel_byte, look, number, put
from ...helpers.calls import ask, must, outcome, raw
from ...helpers.memory_kinds import access, location
from ...helpers.processes import OtherProcess, answer_items, remembered, same_number
from ...helpers.shareable import create_physical, descriptor, export_status, import_memory, ipc_handle
from ...helpers.shared_pools import (
    ATTRIBUTES,
    free_in_stream,
    import_pointer,
    import_pool,
    import_pool_in,
    pointer_data,
    pool,
    pool_access,
    pool_descriptor,
    shared_pool,
    take_from_pool,
    used_memory,
)


@question("a pointer into an imported pool shows the same bytes", varies={"address": "the driver's choice"})
def same_bytes():
    yield "pool", [pool("o"), take_from_pool("a", "o")]
    importer = OtherProcess()
    yield "import the pool", import_pool_in(importer, "p", pool_descriptor("o"))
    yield "import the pointer", importer.ask(import_pointer, "b", "p", pointer_data("a"))
    yield "address", same_number(number("a"), importer.ask(number, "b"))
    yield "a copy finds what the exporter wrote", importer.ask(look, "b")
    yield "a kernel too", importer.ask(kernel_byte, "b", 1)
    yield "it writes by a copy", [importer.ask(put, "b", 7), look("a")]
    yield "it writes by a kernel", [importer.ask(fill, "b", 0x30), look("a")]
    yield "range", [address_range("a"), importer.ask(address_range, "b")]
    yield "beyond the end", [importer.ask(copy_code, "b", 4, 4096), copy_code("a", 4, 4096)]
    yield "allocated after the import", [take_from_pool("c", "o", 5000, 4), importer.ask(import_pointer, "d", "p", pointer_data("c")),
                                         importer.ask(look, "d")]


@question("an imported pool gives no new memory, and is nobody's current pool")
def no_new_memory():
    importer = shared_pool()
    yield "allocate", importer.ask(take_from_pool, "c", "p")
    yield "make it the device's", importer.ask(made_current, "p")
    yield "the exporter allocates on", take_from_pool("c", "o")


def made_current(label):
    return [ask(cu.cuDeviceSetMemPool(0, number(label))), int(must(cu.cuDeviceGetMemPool(0))) == number(label), ask(cu.cuMemAllocAsync(100, 0))]


@question("an imported pool tells of its attributes, and none of them can be set")
def pool_attributes():
    importer = shared_pool()
    yield from answer_items(importer.ask(attributes_of_pool, "p"))
    yield "the exporter's", [used_memory("o"), look("a")]


def attributes_of_pool(label):
    handle, answers = number(label), {}
    for name, attribute in ATTRIBUTES.items():
        answers[name] = outcome(cu.cuMemPoolGetAttribute(handle, attribute))
        answers[f"set {name}"] = ask(cu.cuMemPoolSetAttribute(handle, attribute, cu.cuuint64_t(0) if int(attribute) > 3 else 1))
    answers["trim"] = ask(cu.cuMemPoolTrimTo(handle, 0))
    answers["access"] = outcome(cu.cuMemPoolGetAccess(handle, location()))
    for rights in ("read", "none", "read and write"):
        answers[f"set access: {rights}"] = [ask(cu.cuMemPoolSetAccess(handle, [access(rights)], 1)), outcome(cu.cuMemPoolGetAccess(handle, location())), look("b")]
    fd = pool_descriptor(label)
    answers["export again"] = export_status(fd)
    data = pointer_data("b")
    answers["export its pointer"] = export_status(data)
    return answers


@question("an imported pointer says of itself what the exporter's does")
def pointer_attributes():
    importer = shared_pool()
    answers = importer.ask(attributes, "b")
    yield from answer_items(answers)
    yield "as the exporter's", answers == attributes("a")
    yield "an IPC handle of it", [export_status(ipc_handle("a")), export_status(importer.ask(ipc_handle, "b"))]


@question("what is no pool, no pointer into it, or not for it, is not imported")
def wrong():
    importer = shared_pool()
    create_physical("h")
    fd = descriptor("h")
    yield "a descriptor of physical memory as a pool", import_pool_in(OtherProcess(), "q", fd)
    yield "a descriptor of a pool as physical memory", OtherProcess().ask(import_memory, "k", fds=[pool_descriptor("o")])
    reading, writing = os.pipe()
    yield "a pipe", import_pool_in(importer, "q", reading)
    os.close(writing)
    yield "zeros", importer.ask(import_pointer, "c", "p", bytes(64))
    pool("second"), take_from_pool("x", "second")
    yield "a pointer of another pool", OtherProcess().ask(first_pool_second_pointer, pointer_data("x"), fds=[pool_descriptor("o")])
    yield "from inside", [export_status(pointer_data("a", 512)), pointer_data("a", 512) == pointer_data("a")]
    free_in_stream("x")
    yield "of a freed one", export_status(pointer_data("x"))
    for kind in (0, 2, 8):
        yield f"export as type {kind}", export_status(outcome(cu.cuMemPoolExportToShareableHandle(number("o"), cu.CUmemAllocationHandleType(kind), 0)))
    yield "export with flags", export_status(pool_descriptor("o", flags=1))
    yield "import with flags", import_pool("r", pool_descriptor("o"), flags=1)
    yield "a null output", raw("cuMemPoolExportToShareableHandle", None, number("o"), 1, 0)


def first_pool_second_pointer(data, fd):
    return [import_pool("p", fd), import_pointer("b", "p", data), look("b")]


@question("a process may import a pool of its own")
def own():
    pool("o"), take_from_pool("a", "o")
    yield "import", import_pool("p", pool_descriptor("o"))
    yield "another handle", number("p") != number("o") if "p" in remembered else None
    yield "its pointer", import_pointer("b", "p", pointer_data("a"))
    yield "the same bytes", look("b")
    yield "address", same_number(number("a"), number("b")) if "b" in remembered else None
    yield "free", [free_in_stream("b"), look("a"), free_in_stream("a")]


@question("pools of the host that are to be exported name a NUMA node")
def host_pools():
    for place in ("host", "host numa"):
        yield f"{place}: pool", (created := pool("o", place))
        if created != "SUCCESS":
            continue
        yield f"{place}: access", ask(cu.cuMemPoolSetAccess(number("o"), [access("read and write")], 1))
        yield f"{place}: memory", take_from_pool("a", "o")
        importer = OtherProcess()
        yield f"{place}: import", import_pool_in(importer, "p", pool_descriptor("o"))
        yield f"{place}: pointer", importer.ask(import_pointer, "b", "p", pointer_data("a"))
        yield f"{place}: access there", importer.ask(pool_access, "p")
        yield f"{place}: content", [importer.ask(look, "b"), importer.ask(kernel_byte, "b")]
