"""Two processes, one on each device: what is passed from one to the other, by every way."""
import functools

from cuda.bindings import driver as cu

from ...asking import two_device_question
from ...helpers.between import address_range, attributes, copy_code, fill, kernel_byte, look, number, put, take
from ...helpers.calls import ask, must, new_context, outcome
from ...helpers.ipc_events import finish_stream, open_gate, record_behind_gate, stream_wait
from ...helpers.memory_kinds import LARGE, access, location, make
from ...helpers.peers import enable, ordinal_of
from ...helpers.processes import OtherProcess, answer_items, remembered
from ...helpers.shareable import (
    await_event,
    close_memory,
    create_event,
    create_physical,
    descriptor,
    event_handle,
    event_state,
    export_status,
    grant_rights,
    import_in,
    import_memory,
    ipc_handle,
    map_memory,
    open_event,
    open_memory,
    record_event,
)
from ...helpers.shared_pools import (
    free_in_stream,
    import_pointer,
    import_pool,
    import_pool_in,
    pointer_data,
    pool,
    pool_descriptor,
    take_from_pool,
)

question = functools.partial(two_device_question, processes=True)
PLACES = ("0", "1", "1,0")      # of CUDA_VISIBLE_DEVICES


@question("an event of one device is waited for and recorded by a process that works on the other")
def events():
    owner, opener = OtherProcess(0), OtherProcess(1)
    owner.ask(create_event, "e")
    yield "open", opener.ask(open_event, "f", owner.ask(event_handle, "e"))
    yield "never recorded", [opener.ask(event_state, "f"), opener.ask(await_event, "f")]
    yield "recorded by the owner", [owner.ask(record_event, "e"), owner.ask(await_event, "e"), opener.ask(event_state, "f"),
                                    opener.ask(await_event, "f")]
    yield "recorded by the opener", [opener.ask(record_event, "f"), opener.ask(event_state, "f")]


@question("a stream of the other device, in another process, waits for an event")
def event_orders():
    owner, opener = OtherProcess(0), OtherProcess(1)
    owner.ask(create_event, "e"), opener.ask(take, "own")
    opener.ask(open_event, "f", owner.ask(event_handle, "e"))
    yield "pending", [owner.ask(record_behind_gate, "e"), opener.ask(event_state, "f")]
    yield "behind it", opener.ask(stream_wait, "f")
    yield "let go", [owner.ask(open_gate), opener.ask(finish_stream)]


@question("memory opened on the other device is copied, filled and closed there like a peer's")
def used_across():
    take("a")
    process = OtherProcess(1)
    yield "open", process.ask(open_memory, "b", ipc_handle("a"))
    yield from answer_items(process.ask(uses, "b"))
    yield "the owner's", [look("a"), kernel_byte("a")]
    yield "attributes as the owner's", process.ask(attributes, "b") == attributes("a")
    yield "range", process.ask(address_range, "b")
    yield "opened again with a context of its device", process.ask(opened_in_zero, ipc_handle("a"))


def uses(label):
    a, own = number(label), make("device").address
    context = must(cu.cuCtxGetCurrent())
    return {"to its own": [ask(cu.cuMemcpyDtoD(own, a, 16)), ask(cu.cuCtxSynchronize())],
            "from its own": [ask(cu.cuMemcpyDtoD(a + 64, own, 16)), ask(cu.cuCtxSynchronize())],
            "by cuMemcpyPeer": [ask(cu.cuMemcpyPeer(own, context, a, context, 16)), ask(cu.cuCtxSynchronize())],
            "filled": [ask(cu.cuMemsetD8(a, 0x31, 4)), ask(cu.cuCtxSynchronize()), look(label)],
            "by a kernel": fill(label, 0x50, 4, 8),
            "past its end": copy_code(label, 1, 64 << 10)}


def opened_in_zero(handle):
    """The same memory, with a context of its own device beside it."""
    own = must(cu.cuCtxGetCurrent())
    zero = new_context()
    answers = [open_memory("c", handle), look("c"), kernel_byte("c"), remembered.get("c") == number("b")]
    must(cu.cuCtxSetCurrent(own))
    return [*answers, kernel_byte("b"), enable(zero), close_memory("b"), look("c")]


@question("physical memory of one device, imported by a process on the other, has rights for each device in each process")
def physical_rights():
    create_physical("h"), map_memory("a", "h"), put("a", 1, 64)
    process = OtherProcess(1)
    yield "import, map", [import_in(process, "k", descriptor("h")), process.ask(map_memory, "b", "k", LARGE, None)]
    for label, entries in {"1 to read": {1: "read"}, "1 to write": {1: "read and write"}, "0 as well": {0: "read"},
                           "1 no more": {1: "none"}}.items():
        yield label, process.ask(grant_rights, "b", entries)
    yield "here", [outcome(cu.cuMemGetAccess(location(ordinal=ordinal), number("a"))) for ordinal in (0, 1)]


@question("a kernel of a device without a right to imported memory faults, and its exporter goes on")
def fault_across():
    create_physical("h"), map_memory("a", "h"), put("a", 1, 64)
    process = OtherProcess(1)
    import_in(process, "k", descriptor("h"))
    yield "with a right for device 0 alone", [process.ask(map_memory, "b", "k"), process.ask(kernel_byte, "b"), process.ask(look, "b")]
    yield "the exporter", [look("a"), kernel_byte("a"), fill("a", 0x44)]
    third = OtherProcess(1)
    yield "a new process", [import_in(third, "k", descriptor("h")), third.ask(map_memory, "b", "k"),
                            third.ask(grant_rights, "b", {1: "read and write"}), third.ask(kernel_byte, "b")]


@question("a pool's rights are each process's own, for each device")
def pool_rights():
    pool("o"), take_from_pool("a", "o")
    process = OtherProcess(1)
    yield "import", [import_pool_in(process, "p", pool_descriptor("o")),
                     process.ask(import_pointer, "b", "p", pointer_data("a"))]
    yield "rights there", process.ask(rights_of_pool, "p")
    yield "a copy there", process.ask(look, "b")
    yield "given here for 1", [ask(cu.cuMemPoolSetAccess(number("o"), [access("read and write", ordinal=1)], 1)),
                               rights_of_pool("o"),
                              process.ask(rights_of_pool, "p"), process.ask(look, "b")]
    yield "given there for 1", [process.ask(pool_right, "p", 1), process.ask(rights_of_pool, "p"), process.ask(look, "b"),
                                process.ask(kernel_byte, "b")]
    yield "taken there again", [process.ask(pool_right, "p", 1, "none"), process.ask(look, "b"), look("a")]
    yield "of a pool of device 1", of_the_other()


def rights_of_pool(label):
    return [outcome(cu.cuMemPoolGetAccess(number(label), location(ordinal=ordinal))) for ordinal in (0, 1)]


def pool_right(label, ordinal, right="read and write"):
    return ask(cu.cuMemPoolSetAccess(number(label), [access(right, ordinal=ordinal)], 1))


def of_the_other():
    """A pool on device 1 that this process, which works on device 0, makes for a process on device 1."""
    answers = [pool("q", "device", 1), take_from_pool("x", "q"), pool_right("q", 0), take_from_pool("y", "q")]
    process = OtherProcess(1)
    answers.append(import_pool_in(process, "p", pool_descriptor("q")))
    answers.append(process.ask(import_pointer, "b", "p", pointer_data("y")))
    return [*answers, process.ask(look, "b"), process.ask(fill, "b", 0x20), look("y")]


@question("an exporter on the other device dies: what it shared by any way stays")
def exporter_dies():
    for how in ("kill", "leave"):
        owner = OtherProcess(1)
        owner.ask(take, "a"), owner.ask(create_physical, "h", LARGE, "device", 1)
        owner.ask(pool, "o", "device", 1), owner.ask(take_from_pool, "x", "o")
        answers = [open_memory("b", owner.ask(ipc_handle, "a")), import_memory("k", owner.ask(descriptor, "h")), map_memory("v", "k")]
        fd = owner.ask(pool_descriptor, "o")
        answers += [import_pool("p", fd) if isinstance(fd, int) else fd,
                    import_pointer("y", "p", owner.ask(pointer_data, "x"))]
        yield f"{how}: open and import", answers
        getattr(owner, how)()
        yield f"{how}: IPC memory", [look("b"), kernel_byte("b"), put("b", 4), close_memory("b")]
        yield f"{how}: physical memory", [put("v", 4), kernel_byte("v"), export_status(descriptor("k"))]
        yield f"{how}: the pool's", [look("y"), ordinal_of("y"), free_in_stream("y")]


@question("three processes on two devices share memory of one, and it stays as long as anybody has it")
def chain():
    first, second, third = OtherProcess(0), OtherProcess(1), OtherProcess(0)
    first.ask(create_physical, "h"), first.ask(map_memory, "a", "h"), first.ask(put, "a", 1, 64)
    fd = first.ask(descriptor, "h")
    yield "the second", [import_in(second, "k", fd, closing=False), second.ask(map_memory, "b", "k"),
                         second.ask(grant_rights, "b", {1: "read and write"})]
    yield "the third", [import_in(third, "l", fd, closing=False), third.ask(map_memory, "c", "l"), third.ask(look, "c")]
    yield "the first is killed", [first.kill(), third.ask(fill, "c", 0x30), second.ask(look, "b")]
    yield "the second is killed", [second.kill(), third.ask(look, "c"), third.ask(kernel_byte, "c", 1)]
    yield "the third is killed", third.kill()
    yield "here, from the descriptor", [import_memory("m", fd), map_memory("d", "m"), look("d")] if isinstance(fd, int) else fd
