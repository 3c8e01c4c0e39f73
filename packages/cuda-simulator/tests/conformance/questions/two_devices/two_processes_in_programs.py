"""Two processes and two devices: what is handed from one device's process to the other's, used by every call."""
import ctypes
import functools

from cuda.bindings import driver as cu

from ...asking import two_device_question
from ...helpers import kernels
from ...helpers.between import copy_code, destroy_context, fill, free, kernel_byte, look, number, put, take
from ...helpers.calls import ask, must, new_context, outcome, using
from ...helpers.host_pages import map_file, map_in, memory_file, register_pages
from ...helpers.ipc_events import SHORT, finish_stream, open_gate, record_behind_gate, stream_wait
from ...helpers.ipc_memory import every_copy, every_fill
from ...helpers.memory_kinds import LARGE, SMALL, access, location
from ...helpers.peers import enable
from ...helpers.processes import OtherProcess, answer_items, remembered
from ...helpers.shareable import (
    await_event,
    close_memory,
    create_event,
    create_physical,
    descriptor,
    event_handle,
    event_state,
    grant_rights,
    import_in,
    import_memory,
    ipc_handle,
    map_memory,
    open_event,
    open_memory,
    record_event,
    release_handle,
    unmap_memory,
)
from ...helpers.shared_pools import (
    free_in_stream,
    import_pointer,
    import_pool,
    import_pool_in,
    pointer_data,
    pool,
    pool_access,
    pool_descriptor,
    take_from_pool,
)

question = functools.partial(two_device_question, processes=True)


@question("memory that was opened on the other device is either side of every copy there")
def copies():
    take("a")
    process = OtherProcess(1)
    yield "open", process.ask(open_memory, "b", ipc_handle("a"))
    yield from answer_items(process.ask(every_copy, "b"))
    yield "the owner's", look("a", 8, 64)


@question("memory that was opened on the other device is filled there by every call")
def fills():
    take("a")
    process = OtherProcess(1)
    yield "open", process.ask(open_memory, "b", ipc_handle("a"))
    yield from answer_items(process.ask(every_fill, "b"))
    yield "the owner's", [look("a", 8), look("a", 1, SMALL - 1)]


def begin_both():
    """A second context, of the other device, beside the process's own."""
    remembered["own"] = int(must(cu.cuCtxGetCurrent()))
    remembered["second"] = int(new_context(ordinal=1 - int(must(cu.cuCtxGetDevice()))))
    must(cu.cuCtxPopCurrent())
    return "SUCCESS"


def with_second(word, *arguments):
    with using(remembered["second"]):
        return globals()[word](*arguments)


@question("two processes have contexts of both devices: each opens the other's memory with either")
def both_on_both():
    take("a"), begin_both()
    with_second("take", "x")
    process = OtherProcess(1)
    process.ask(begin_both)
    yield "with the context of its device", [process.ask(with_second, "open_memory", "b", ipc_handle("a")),
                                             process.ask(with_second, "kernel_byte", "b")]
    yield "with that of the other device", [process.ask(with_second, "open_memory", "y", with_second("ipc_handle", "x")),
                                            process.ask(with_second, "look", "y")]
    yield "write there, look here", [process.ask(with_second, "put", "b", 5), look("a"),
                                     process.ask(with_second, "put", "y", 6), with_second("look", "x")]
    yield "opened with the other context, too", [process.ask(open_memory, "z", with_second("ipc_handle", "x")),
                                                 process.ask(look, "z")]
    yield "close", [process.ask(close_memory, "z"), process.ask(with_second, "close_memory", "y"),
                    process.ask(with_second, "close_memory", "b")]
    yield "opened with the context of 0, a kernel of 1", [process.ask(with_second, "open_memory", "y",
                                                                    with_second("ipc_handle", "x")), process.ask(kernel_byte, "y")]
    yield "free", [free("a"), with_second("free", "x")]


@question("a process opens memory of one device with contexts of both, and closes it in the order of its choice")
def closing_orders():
    take("a")
    handle = ipc_handle("a")
    for label, steps in {"as opened": ("first", "second"), "the other way round": ("second", "first"),
                         "one twice": ("first", "first", "second")}.items():
        process = OtherProcess(1)
        process.ask(begin_both)
        yield f"{label}: open", [process.ask(open_memory, "b", handle), process.ask(with_second, "open_memory", "c", handle),
                                 process.ask(same_address)]
        for n, step in enumerate(steps):
            yield f"{label}: close {n}, {step}", [process.ask(close_memory, "b") if step == "first"
                                                  else process.ask(with_second, "close_memory", "c"),
                                                  process.ask(look, "b"), process.ask(with_second, "look", "c")]
        process.kill()


def same_address():
    return number("b") == number("c") if "b" in remembered and "c" in remembered else None


@question("an event goes round: recorded on one device, waited for on the other, answered by an event of that one")
def events():
    owner, opener = OtherProcess(0), OtherProcess(1)
    owner.ask(create_event, "e"), opener.ask(create_event, "g"), owner.ask(take, "own"), opener.ask(take, "own")
    yield "open", [opener.ask(open_event, "f", owner.ask(event_handle, "e")),
                   owner.ask(open_event, "h", opener.ask(event_handle, "g"))]
    yield "ready", [owner.ask(fill, "own", 1), opener.ask(fill, "own", 1)]
    yield "pending on 0", [owner.ask(record_behind_gate, "e"), opener.ask(stream_wait, "f")]
    yield "let go", [owner.ask(open_gate), opener.ask(finish_stream), opener.ask(event_state, "f")]
    yield "pending on 1", [opener.ask(record_behind_gate, "g"), owner.ask(stream_wait, "h")]
    yield "let go there", [opener.ask(open_gate), owner.ask(finish_stream), owner.ask(event_state, "h")]
    yield "each records the other's", [owner.ask(record_event, "h"), opener.ask(record_event, "f")]
    yield "one dies", [owner.kill(), opener.ask(record_event, "g"), opener.ask(await_event, "g", patience=SHORT)]


@question("physical memory of both devices goes to a process of either, and is used by who has a right")
def physical_both():
    processes = [OtherProcess(0), OtherProcess(1)]
    for place in (0, 1):
        remembered.clear()
        create_physical(f"h{place}", LARGE, "device", place)
        for ordinal, process in enumerate(processes):
            label = f"on {place}, for {ordinal}"
            yield f"{label}: import", [import_in(process, f"k{place}", descriptor(f"h{place}")),
                                       process.ask(map_memory, f"v{place}", f"k{place}", LARGE, None)]
            yield f"{label}: a right for its own device", process.ask(grant_rights, f"v{place}", {ordinal: "read and write"})
            yield f"{label}: written by a kernel", [process.ask(fill, f"v{place}", 0x10 * (ordinal + 1)),
                                                    process.ask(look, f"v{place}")]
        yield f"on {place}: both see the last", [process.ask(kernel_byte, f"v{place}") for process in processes]
        yield f"on {place}: released here", [release_handle(f"h{place}"), [process.ask(look, f"v{place}") for process in processes]]
    yield "unmapped", [[process.ask(unmap_memory, f"v{place}") for place in (0, 1)] for process in processes]


@question("pools of both devices go to a process of either")
def pools_both():
    for place in (0, 1):
        owner = OtherProcess(place)
        owner.ask(pool, "o", "device", place), owner.ask(take_from_pool, "a", "o")
        for ordinal in (0, 1):
            process = OtherProcess(ordinal)
            yield f"of {place}, for {ordinal}: import", [import_pool_in(process, "p", owner.ask(pool_descriptor, "o")),
                                                       process.ask(import_pointer, "b", "p",
                                                                   owner.ask(pointer_data, "a"))]
            yield f"of {place}, for {ordinal}: rights", process.ask(rights_of_pool, "p")
            yield f"of {place}, for {ordinal}: copies", [process.ask(look, "b"), process.ask(put, "b", ordinal + 4),
                                                       owner.ask(look, "a")]
            yield f"of {place}, for {ordinal}: a right for its device, a kernel", [process.ask(right_of_pool, "p", ordinal),
                process.ask(fill, "b", 0x33), owner.ask(look, "a")]
            yield f"of {place}, for {ordinal}: freed", [process.ask(free_in_stream, "b"), owner.ask(look, "a")]
            process.kill()


def rights_of_pool(label):
    return [outcome(cu.cuMemPoolGetAccess(number(label), location(ordinal=ordinal))) for ordinal in (0, 1)]


def right_of_pool(label, ordinal):
    return [ask(cu.cuMemPoolSetAccess(number(label), [access("read and write", ordinal=ordinal)], 1)),
            rights_of_pool(label)]


@question("kernels of two processes on two devices count in pages of one file")
def file_of_both():
    process, fd = OtherProcess(1), memory_file()
    yield "map, register", [map_in(process, "b", fd), map_file("a", fd), register_pages("a"), process.ask(register_pages, "b")]
    yield "count", [count_threads("a", 2), process.ask(count_threads, "b", 3), count_threads("a", 1), look_at("a"),
                    process.ask(look_at, "b")]
    yield "one ends", [process.leave(), count_threads("a", 1), look_at("a")]


def count_threads(label, times):
    for _ in range(times):
        must(kernels.run("count_threads", number(label), grid=2, block=10))
    return "counted"


def look_at(label):
    return ctypes.c_int.from_address(number(label)).value


@question("the owner on the other device frees, faults or goes while its memory is open here")
def owner_ends():
    for how in ("frees", "faults", "destroys its context", "leaves"):
        owner = OtherProcess(1)
        owner.ask(take, "a", 3 << 20)
        yield f"{how}: open", [open_memory("b", owner.ask(ipc_handle, "a")), look("b"), kernel_byte("b")]
        yield how, {"frees": lambda: owner.ask(free, "a"), "faults": lambda: owner.ask(poke_null),
                    "destroys its context": lambda: owner.ask(destroy_context), "leaves": owner.leave}[how]()
        yield f"{how}: then", [copy_code("b"), look("b"), close_memory("b"), copy_code("b")]


def poke_null():
    return ask(kernels.run("poke", 0, kernels.i32(1)))


@question("memory that was opened here from the other device's process is not a peer's, whatever is enabled")
def opened_and_enabled():
    owner = OtherProcess(1)
    owner.ask(take, "a", 3 << 20)
    begin_both()
    second = remembered["second"]
    yield "open", [open_memory("b", owner.ask(ipc_handle, "a")), kernel_byte("b")]
    yield "enable between the contexts", [enable(second), kernel_byte("b")]
    yield "disable", [ask(cu.cuCtxDisablePeerAccess(second)), ask(cu.cuCtxDisablePeerAccess(second))]
    yield "a kernel still", lambda: kernel_byte("b")
    yield "a kernel of 1", lambda: with_second("kernel_byte", "b")
    yield "close with 1, with 0", [with_second("close_memory", "b"), close_memory("b"), copy_code("b")]


@question("memory of device 1 comes by three ways to a process of device 0, which copies from one to the next")
def three_ways():
    owner = OtherProcess(1)
    owner.ask(take, "a"), owner.ask(create_physical, "h", LARGE, "device", 1), owner.ask(pool, "o", "device",
        1), owner.ask(take_from_pool, "x", "o")
    fd = owner.ask(pool_descriptor, "o")
    yield "received", [open_memory("b", owner.ask(ipc_handle, "a")), import_memory("k", owner.ask(descriptor, "h")), map_memory("v", "k"),
                       import_pool("p", fd) if isinstance(fd, int) else fd,
                       import_pointer("y", "p", owner.ask(pointer_data, "x"))]
    yield "a right for 0 in the pool", pool_access("p")
    for to, source in (("v", "b"), ("y", "v"), ("b", "y")):
        put(source, 3 + ord(to) % 5, 16)
        yield f"from {source} to {to}", [ask(cu.cuMemcpyDtoD(number(to), number(source), 16)),
                                         ask(cu.cuCtxSynchronize()), look(to)]
        yield f"from {source} to {to} by a kernel", lambda: ask(kernels.run("copy", number(to) + 32, number(source),
            kernels.i32(8)))
    yield "the owner's", [owner.ask(look, "a"), owner.ask(look, "x")]
    yield "given back", [close_memory("b"), unmap_memory("v"), free_in_stream("y")]
