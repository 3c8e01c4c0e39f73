"""Pools handed on, and what is done with their pointers: copies, streams, several importers, what the owner counts."""
import os

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers.between import copy_code, fill, keep, kernel_byte, look, number, put
from ...helpers.calls import ask, must, new_context, outcome
from ...helpers.ipc_events import finish_stream
from ...helpers.ipc_memory import every_copy, every_fill
from ...helpers.kernels import i32, launch
from ...helpers.memory_kinds import SMALL, access, location
from ...helpers.processes import OtherProcess, answer_items, remembered
from ...helpers.shareable import POSIX, await_event, create_event, event_handle, export_status, open_event, record_event
from ...helpers.shared_pools import (
    ATTRIBUTES,
    destroy_pool,
    free_in_stream,
    import_pointer,
    import_pool,
    import_pool_in,
    pointer_data,
    pool,
    pool_access,
    pool_descriptor,
    take_from_pool,
    used_memory,
)


def importer_of_pool(size=SMALL):
    """Pool "o" with memory "a" of this process, and another that has them as "p" and "b"."""
    pool("o"), take_from_pool("a", "o", size)
    importer = OtherProcess()
    import_pool_in(importer, "p", pool_descriptor("o"))
    importer.ask(import_pointer, "b", "p", pointer_data("a"))
    return importer


@question("an imported pointer is either side of every copy")
def copies():
    importer = importer_of_pool()
    yield from answer_items(importer.ask(every_copy, "b"))
    yield "the exporter's", look("a", 8, 64)


@question("an imported pointer is filled as device memory is")
def fills():
    importer = importer_of_pool()
    yield from answer_items(importer.ask(every_fill, "b"))
    yield "the exporter's", [look("a", 8), look("a", 1, SMALL - 1)]


@question("a device's own pool is not exported, nor what is taken from it, whichever pool is current")
def own_pool():
    remembered["default"] = int(must(cu.cuDeviceGetDefaultMemPool(0)))
    yield "the default pool", export_status(pool_descriptor("default"))
    yield "its memory", [keep("a", cu.cuMemAllocAsync(4096, 0)), export_status(pointer_data("a"))]
    pool("o")
    yield "a pool for export made current", ask(cu.cuDeviceSetMemPool(0, number("o")))
    yield "memory taken then", [keep("b", cu.cuMemAllocAsync(4096, 0)), put("b", 3), export_status(pointer_data("b"))]
    importer = OtherProcess()
    yield "it is imported", [import_pool_in(importer, "p", pool_descriptor("o")),
                             importer.ask(import_pointer, "c", "p", pointer_data("b")),
                             importer.ask(look, "c")]
    yield "the default again", [ask(cu.cuDeviceSetMemPool(0, number("default"))), keep("d", cu.cuMemAllocAsync(64, 0)),
                                export_status(pointer_data("d"))]
    yield "destroy it", lambda: ask(cu.cuMemPoolDestroy(number("default")))


@question("two importers have one pointer, and each gives it back for itself, the exporter last")
def two_importers():
    first_importer = importer_of_pool()
    second = OtherProcess()
    yield "the second", [import_pool_in(second, "p", pool_descriptor("o")),
                         second.ask(import_pointer, "b", "p", pointer_data("a"))]
    yield "one memory", [first_importer.ask(put, "b", 3), second.ask(look, "b"), second.ask(fill, "b", 0x50),
                         first_importer.ask(look, "b"), look("a")]
    yield "used", used_memory("o")
    yield "the first gives back", [first_importer.ask(free_in_stream, "b"), first_importer.ask(look, "b"), second.ask(look, "b"), look("a"),
                                   used_memory("o")]
    yield "the second gives back", [second.ask(free_in_stream, "b"), second.ask(look, "b"), look("a"), used_memory("o")]
    yield "the exporter", [free_in_stream("a"), used_memory("o"), copy_code("a")]
    yield "again", [take_from_pool("c", "o", SMALL, 6), first_importer.ask(import_pointer, "d", "p", pointer_data("c")),
                    first_importer.ask(look, "d")]


@question("what one pointer's data says is imported by every process that has the pool, and by none that has not")
def data_alone():
    first_importer = importer_of_pool()
    data = pointer_data("a")
    second, third = OtherProcess(), OtherProcess()
    second.ask(pool, "mine")
    yield "into a pool of the importer's own", second.ask(import_pointer, "b", "mine", data)
    yield "with the pool", [import_pool_in(third, "p", pool_descriptor("o")), third.ask(import_pointer, "b", "p", data),
                            third.ask(look, "b")]
    yield "the same data again in the first", [first_importer.ask(import_pointer, "c", "p", data), first_importer.ask(look, "c")]
    yield "data asked for twice", pointer_data("a") == data
    yield "its length", len(data)


def work(label, event_label):
    stream = must(cu.cuStreamCreate(1))
    codes = [keep(label, cu.cuMemAllocFromPoolAsync(SMALL, number("o"), stream)),
             ask(launch("fill", number(label), i32(0x30), i32(64), stream=stream)), record_event(event_label, stream)]
    return [*codes, ask(cu.cuStreamSynchronize(stream))]


def copy_behind(event_label, source):
    stream = remembered["stream"] = must(cu.cuStreamCreate(1))
    remembered["own"] = int(must(cu.cuMemAlloc(4096)))
    return [ask(cu.cuStreamWaitEvent(stream, number(event_label), 0)),
            ask(cu.cuMemcpyDtoDAsync(number("own"), number(source), 64, stream))]


@question("memory is taken and filled in a stream, and an event tells its importer's stream")
def with_event():
    pool("o"), create_event("e")
    importer = OtherProcess()
    import_pool_in(importer, "p", pool_descriptor("o"))
    yield "the event", importer.ask(open_event, "f", event_handle("e"))
    yield "take, fill, record", work("a", "e")
    yield "the importer's stream", [importer.ask(import_pointer, "b", "p", pointer_data("a")),
                                    importer.ask(copy_behind, "f", "b"), importer.ask(finish_stream)]
    yield "give back there, then here", [importer.ask(free_in_stream, "b"), await_event("e"), free_in_stream("a"), used_memory("o")]


def attribute(name):
    return outcome(cu.cuMemPoolGetAttribute(number("o"), ATTRIBUTES[name]))


@question("the owner of a pool counts what is taken, whoever has imported it")
def counting():
    pool("o")
    importer = OtherProcess()
    import_pool_in(importer, "p", pool_descriptor("o"))
    yield "nothing", [used_memory("o"), attribute("RESERVED_MEM_CURRENT")]
    for n, size in enumerate((4096, 1 << 20, 3 << 20)):
        take_from_pool(f"a{n}", "o", size)
        yield f"{size} taken", [used_memory("o"), importer.ask(import_pointer, f"b{n}", "p", pointer_data(f"a{n}")), used_memory("o")]
    yield "reserved", attribute("RESERVED_MEM_CURRENT") >= 4096 + (4 << 20)
    yield "the importer's count", importer.ask(used_memory, "p")
    for n in (1, 0, 2):
        yield f"{n} given back", [importer.ask(free_in_stream, f"b{n}"), used_memory("o"), free_in_stream(f"a{n}"), used_memory("o")]
    yield "trimmed", [ask(cu.cuMemPoolTrimTo(number("o"), 0)), attribute("RESERVED_MEM_CURRENT")]
    yield "taken again", [take_from_pool("c", "o", 4096, 3), importer.ask(import_pointer, "d", "p", pointer_data("c")),
                          importer.ask(look, "d")]


@question("a pool that keeps nothing, or all, gives its memory to an importer all the same")
def threshold():
    for keeps in (0, 1 << 40):
        pool("o")
        yield f"{keeps}: set", ask(cu.cuMemPoolSetAttribute(number("o"), ATTRIBUTES["RELEASE_THRESHOLD"],
                                                            cu.cuuint64_t(keeps)))
        importer = OtherProcess()
        import_pool_in(importer, "p", pool_descriptor("o"))
        for n in range(3):
            yield f"{keeps}: {n}", [take_from_pool("a", "o", 3 << 20, n + 1),
                                    importer.ask(import_pointer, "b", "p", pointer_data("a")),
                                    importer.ask(look, "b"), importer.ask(free_in_stream,
                                                                          "b"), free_in_stream("a"), ask(cu.cuCtxSynchronize())]
        yield f"{keeps}: destroy", [destroy_pool("o"), importer.ask(destroy_pool, "p")]


def context_goes():
    must(cu.cuCtxDestroy(must(cu.cuCtxGetCurrent())))
    answers = [copy_code("b")]
    new_context()
    return [*answers, look("b"), kernel_byte("b"), put("b", 4), free_in_stream("b"), destroy_pool("p")]


@question("a context goes in the importer, then in the exporter: pools and pointers stay")
def contexts_go():
    importer = importer_of_pool(3 << 20)
    yield "the importer's", importer.ask(context_goes)
    yield "here", look("a")
    yield "the exporter's", lambda: exporter_context()


def exporter_context():
    must(cu.cuCtxDestroy(must(cu.cuCtxGetCurrent())))
    new_context()
    importer = OtherProcess()
    return [look("a"), kernel_byte("a"), take_from_pool("c", "o", 4096, 2), import_pool_in(importer, "p", pool_descriptor("o")),
            importer.ask(import_pointer, "b", "p", pointer_data("c")), importer.ask(look, "b"), free_in_stream("a"), free_in_stream("c")]


def before_context(data, fd):
    code = import_pool("none", os.dup(fd))
    must(cu.cuInit(0))
    answers = {"before cuInit": code, "pool, with cuInit alone": import_pool("p", fd)}
    if "p" not in remembered:
        return answers
    answers |= {"pointer without a context": import_pointer("b", "p", data),
                "rights told": outcome(cu.cuMemPoolGetAccess(number("p"), location()))}
    new_context()
    return answers | {"pointer with a context": import_pointer("c", "p", data),
                      "content": [look("c"), fill("c", 0x15), look("c")]}


@question("a pool is imported without a context, or wants one")
def without_context():
    pool("o"), take_from_pool("a", "o")
    fd = pool_descriptor("o")
    yield from answer_items(OtherProcess(None).ask(before_context, pointer_data("a"), fds=[fd]))
    yield "the exporter's", look("a")


@question("what is given back in the importer is unknown there, and the exporter's as before")
def given_back():
    importer = importer_of_pool(3 << 20)
    yield "give back", importer.ask(free_in_stream, "b")
    yield "there", importer.ask(after, "b")
    yield "here", [look("a"), kernel_byte("a"), put("a", 5), used_memory("o")]
    yield "its data again", [importer.ask(import_pointer, "c", "p", pointer_data("a")), importer.ask(look, "c")]


def after(label):
    a = number(label)
    return [copy_code(label), put(label, 1), ask(cu.cuMemGetAddressRange(a)), ask(cu.cuMemFreeAsync(a, 0)),
            ask(cu.cuMemFree(a)),
            ask(cu.cuMemsetD8(a, 1, 4)), export_status(pointer_data(label))]


@question("rights of a pool are asked and set in both processes, with right and wrong lists")
def rights():
    importer = importer_of_pool()
    yield "here, there", [pool_access("o"), importer.ask(pool_access, "p")]
    lists = {"none": [access("none")], "read": [access("read")], "twice": [access("read"), access("read and write")],
             "the host": [access("read and write", "host")], "a node": [access("read", "host numa")],
             "device 7": [access("read", ordinal=7)],
             "device -1": [access("read", ordinal=-1)], "nobody": []}
    for label, entries in lists.items():
        yield f"{label}: here", [ask(cu.cuMemPoolSetAccess(number("o"), entries, len(entries))),
                                 outcome(cu.cuMemPoolGetAccess(number("o"), location()))]
    yield "content", [look("a"), importer.ask(look, "b")]


@question("pools of every type of handle are made, and exported as every type")
def handle_types():
    for handle_type in (0, 1, 2, 4, 8):
        code = pool("o", handle_type=handle_type)
        yield f"type {handle_type}", [code, export_status(pool_descriptor("o", POSIX))] if code == "SUCCESS" else code
        remembered.pop("o", None)
