"""How one process's end shows in another: a fault, an exit, a reset, in the owner and in who has its memory."""
import os

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers import kernels
from ...helpers.between import copy_code, destroy_context, fill, free, kernel_byte, look, number, put, take
from ...helpers.calls import ask, must, name, new_context
from ...helpers.ipc_events import SHORT
from ...helpers.kernels import i32
from ...helpers.memory_kinds import LARGE
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ...helpers.processes import OtherProcess
from ...helpers.shareable import (
    await_event,
    close_memory,
    create_event,
    create_physical,
    descriptor,
    event_handle,
    event_state,
    export_status,
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
    destroy_pool,
    free_in_stream,
    import_pointer,
    import_pool_in,
    pointer_data,
    pool,
    pool_descriptor,
    take_from_pool,
)

LARGER = 3 << 20


def all_of_it():
    """Memory of the three kinds that are handed on: "a" by IPC, "v" physical, "x" of a pool; and an event "e"."""
    take("a", LARGER), create_physical("h"), map_memory("v", "h"), put("v", 2, 16), pool("o"), take_from_pool("x", "o", LARGER, 3)
    return create_event("e")


def handles():
    return [ipc_handle("a"), pointer_data("x"), event_handle("e")]


def receive_all(owner, holder):
    """Let `holder` open and import all of it; the codes."""
    code = import_pool_in(holder, "p", owner.ask(pool_descriptor, "o"))    # before that no pointer is given out
    handle, data, event_handle = owner.ask(handles)
    return [code, holder.ask(import_pointer, "y", "p", data), holder.ask(open_memory, "b", handle),
            import_in(holder, "k", owner.ask(descriptor, "h")), holder.ask(map_memory, "w", "k"),
            holder.ask(open_event, "f", event_handle)]


def use_all():
    """Copies from and to each, and a kernel on each."""
    return [[look(label), put(label, 5), fill(label, 0x41, 4, 8), kernel_byte(label, 8), look(label, 4, 8)] for label in ("b", "w", "y")]


def attributes_of_all():
    return [[name(get_attribute(ATTRIBUTES[attribute], number(label))[0])
             for attribute in ("MEMORY_TYPE", "DEVICE_POINTER", "RANGE_SIZE")]
            for label in ("b", "w", "y")]


def give_back_all():
    return [[close_memory("b"), copy_code("b")], [unmap_memory("w"), release_handle("k"), copy_code("w")],
            [free_in_stream("y"), destroy_pool("p"), copy_code("y")]]


def fault():
    return ask(kernels.run("poke", 0, i32(1)))


@question("a fault in the owner leaves all that it handed on")
def owner_faults():
    owner, holder = OtherProcess(), OtherProcess()
    owner.ask(all_of_it)
    yield "received", receive_all(owner, holder)
    yield "the fault", [owner.ask(fault), owner.ask(look, "a"), owner.ask(take, "more")]
    yield "used", holder.ask(use_all)
    yield "the event", [holder.ask(event_state, "f"), holder.ask(record_event, "f"), holder.ask(await_event, "f", patience=SHORT)]
    yield "offered by the broken one", [export_status(label) for label in owner.ask(handles)]
    yield "exported by it", [export_status(owner.ask(descriptor, "h")), export_status(owner.ask(pool_descriptor, "o"))]
    yield "its end", [owner.leave(), holder.ask(use_all)]
    yield "given back", holder.ask(give_back_all)


@question("a fault in who has another's memory is no matter of the owner or of a third")
def holder_faults():
    owner, holder, third = OtherProcess(), OtherProcess(), OtherProcess()
    owner.ask(all_of_it)
    yield "received", [receive_all(owner, holder) == receive_all(owner, third), holder.ask(fault)]
    yield "there", [holder.ask(look, label) for label in ("b", "w", "y")]
    yield "give back there", holder.ask(give_back_all)
    yield "a third", [third.ask(use_all), owner.ask(look, "a", 4, 8), owner.ask(look, "v", 4, 8),
                      owner.ask(look, "x", 4, 8)]
    yield "a new one", [(new_process := OtherProcess()).first_answer, receive_all(owner, new_process), new_process.ask(look, "b")]
    yield "the owner gives back", [third.kill(), owner.ask(free, "a"), owner.ask(free_in_stream, "x"), owner.ask(unmap_memory, "v"),
                                   owner.ask(release_handle, "h")]


@question("the owner frees in order, after its importers, and nothing is left")
def in_order():
    owner, holder = OtherProcess(), OtherProcess()
    owner.ask(all_of_it)
    receive_all(owner, holder)
    yield "importers", holder.ask(give_back_all)
    yield "unknown there", holder.ask(attributes_of_all)
    yield "the owner", [owner.ask(free, "a"), owner.ask(unmap_memory, "v"), owner.ask(release_handle, "h"), owner.ask(free_in_stream, "x"),
                        owner.ask(destroy_pool, "o")]
    yield "unknown here", [owner.ask(copy_code, label) for label in ("a", "v", "x")]
    yield "all again", [owner.ask(all_of_it), receive_all(owner, holder), holder.ask(use_all)]


@question("the owner frees all of it first: what is physical stays, and all may be given back in the importer")
def owner_first():
    owner, holder = OtherProcess(), OtherProcess()
    owner.ask(all_of_it)
    receive_all(owner, holder)
    yield "the owner", [owner.ask(unmap_memory, "v"), owner.ask(release_handle, "h"), owner.ask(free, "a")]
    yield "the importer's", [holder.ask(look, "b"), holder.ask(look, "w"), holder.ask(attributes_of_all)]
    yield "its pool", [owner.ask(destroy_pool, "o"), holder.ask(look, "y"), owner.ask(look, "x")]
    yield "exported once more", [export_status(holder.ask(descriptor, "k")), export_status(holder.ask(ipc_handle, "b"))]
    yield "given back", [holder.ask(give_back_all), owner.ask(free_in_stream, "x")]


def primary_all():
    must(cu.cuInit(0))
    must(cu.cuCtxSetCurrent(must(cu.cuDevicePrimaryCtxRetain(0))))
    return all_of_it()


def begin_primary():
    must(cu.cuInit(0))
    return ask(cu.cuCtxSetCurrent(must(cu.cuDevicePrimaryCtxRetain(0))))


def reset():
    code = ask(cu.cuDevicePrimaryCtxReset(0))
    return [code, ask(cu.cuCtxSetCurrent(must(cu.cuDevicePrimaryCtxRetain(0))))]


@question("the owner's primary context is reset: what was physical or of a pool is the owner's still")
def owner_resets():
    owner, holder = OtherProcess(None), OtherProcess()
    yield "taken", owner.ask(primary_all)
    yield "received", receive_all(owner, holder)
    yield "reset", owner.ask(reset)
    yield "the owner's", [owner.ask(copy_code, "a"), owner.ask(look, "v"), owner.ask(look, "x")]
    yield "the importer's", [holder.ask(attributes_of_all), holder.ask(use_all)]
    yield "the event", [holder.ask(record_event, "f"), holder.ask(await_event, "f", patience=SHORT)]
    yield "offered, exported", [owner.ask(given_all)]
    yield "given back there", holder.ask(give_back_all)


def given_all():
    return [export_status(ipc_handle("a")), export_status(descriptor("h")), export_status(pool_descriptor("o")),
            export_status(pointer_data("x"))]


@question("the importer's primary context is reset: what it opened is gone, what it imported is not")
def importer_resets():
    owner, holder = OtherProcess(), OtherProcess(None)
    owner.ask(all_of_it), holder.ask(begin_primary)
    yield "received", receive_all(owner, holder)
    yield "reset", holder.ask(reset)
    yield "there", [holder.ask(attributes_of_all), holder.ask(copy_code, "b"), holder.ask(look, "w"), holder.ask(look, "y")]
    yield "the owner's", [owner.ask(look, "a"), owner.ask(look, "v"), owner.ask(look, "x")]
    yield "opened again", [holder.ask(open_memory, "c", owner.ask(ipc_handle, "a")), holder.ask(look, "c"),
                           holder.ask(close_memory, "c")]
    yield "by a kernel", [holder.ask(kernel_byte, "w"), holder.ask(kernel_byte, "y")]
    yield "given back", [holder.ask(unmap_memory, "w"), holder.ask(release_handle, "k"), holder.ask(free_in_stream, "y"),
                         holder.ask(destroy_pool, "p")]


@question("the owner's context is destroyed, and made again: what it handed on, and what it has of it")
def owner_again():
    owner, holder = OtherProcess(), OtherProcess()
    owner.ask(all_of_it)
    receive_all(owner, holder)
    yield "destroyed, made again", [owner.ask(destroy_context), owner.ask(context_again)]
    yield "the owner's", [owner.ask(copy_code, "a"), owner.ask(look, "v"), owner.ask(look, "x")]
    yield "used there", holder.ask(use_all)
    yield "the owner sees it", [owner.ask(look, "v"), owner.ask(look, "x")]
    yield "the owner offers", owner.ask(given_all)
    yield "the owner frees", [owner.ask(free, "a"), owner.ask(free_in_stream, "x"), owner.ask(unmap_memory, "v")]


def context_again():
    new_context()
    return "made"


def waits(label):
    return [ask(kernels.run("wait_for", number(label), number(label) + 4)), look(label, 4, 4)]


@question("a kernel waits on memory whose owner dies, and is let go by a third process", alone=True)
def waits_on_the_dead():
    owner, holder, third = OtherProcess(), OtherProcess(), OtherProcess()
    owner.ask(take, "a"), owner.ask(clear, "a")
    handle = owner.ask(ipc_handle, "a")
    yield "open", [holder.ask(open_memory, "b", handle), third.ask(open_memory, "b", handle), holder.ask(fill, "b", 0, 1, 64),
                   third.ask(fill, "b", 0, 1, 64)]
    holder.start(waits, "b")
    yield "the owner dies", [owner.kill(), third.ask(look, "b", 4, 4)]
    yield "written by the third", [third.ask(fill, "b", 7, 1), holder.finish(), third.ask(look, "b", 4, 4)]


def clear(label):
    return [ask(cu.cuMemsetD8(number(label), 0, 128)), ask(cu.cuCtxSynchronize())]


@question("a process that ends by an error of Python, or by an exit without destructors, ends like others")
def ways_to_end():
    for how in ("os._exit", "an abort"):
        owner, holder = OtherProcess(), OtherProcess()
        owner.ask(all_of_it)
        yield f"{how}: received", receive_all(owner, holder)
        owner.start(ended_by, how)
        yield f"{how}: ended", owner.finish()
        yield f"{how}: used", holder.ask(use_all)
        yield f"{how}: given back", holder.ask(give_back_all)


def ended_by(how):
    os._exit(3) if how == "os._exit" else os.abort()


@question("the descriptors of the dead are as good as those of the living, while somebody holds them")
def descriptors_of_the_dead():
    owner = OtherProcess()
    owner.ask(all_of_it)
    fd, pool_fd, data = owner.ask(descriptor, "h"), owner.ask(pool_descriptor, "o"), owner.ask(pointer_data, "x")
    owner.kill()
    holder = OtherProcess()
    yield "physical", [holder.ask(import_memory, "k", fds=[fd]), holder.ask(map_memory, "w", "k"), holder.ask(look, "w"),
                       holder.ask(put, "w", 6)]
    third = OtherProcess()
    yield "once more", [import_in(third, "k", fd), third.ask(map_memory, "w", "k", LARGE, "read"), third.ask(look, "w"),
                        third.ask(put, "w", 6)]
    yield "the pool", import_pool_in(holder, "p", pool_fd)
    yield "a pointer into it", holder.ask(import_pointer, "y", "p", data) if holder.end is None else holder.end
