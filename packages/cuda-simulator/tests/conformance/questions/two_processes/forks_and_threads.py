"""Forks and threads of processes that share: what a child holds for its parent, and what threads do at once."""
import ctypes
import os
import signal
import socket
import threading

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers.between import copy_code, fill, kernel_byte, look, number, put, take
from ...helpers.calls import ask, must, new_context, outcome
from ...helpers.memory_kinds import access, location, reserve
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ...helpers.processes import OtherProcess, remembered
from ...helpers.shareable import (
    POSIX,
    await_event,
    close_memory,
    create_event,
    create_physical,
    descriptor,
    event_handle,
    event_state,
    export_status,
    exportable_memory,
    import_in,
    import_memory,
    ipc_handle,
    map_memory,
    open_event,
    open_memory,
    record_event,
    release_handle,
)
from ...helpers.shared_pools import import_pointer, import_pool, pointer_data, pool, pool_descriptor, take_from_pool
from ...helpers.threads_and_forks import in_child, in_fork

THREADS = 6


def holding(fd, line):
    """In a forked child: hold a descriptor until asked for it, without a call of CUDA."""
    line.recv(1)
    socket.send_fds(line, [b"here"], [fd])


@question("a forked child holds a descriptor for its parent, which gives everything back and imports it again", alone=True)
def held_by_child():
    exportable_memory()
    fd = int(descriptor("h"))
    mine, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = os.fork()
    if not pid:
        signal.alarm(20)
        holding(fd, its)
        os._exit(0)
    os.close(fd)
    yield "release, unmap", [release_handle("h"), ask(cu.cuMemUnmap(number("a"), 2 << 20)), copy_code("a")]
    mine.send(b"?")
    fd_again = socket.recv_fds(mine, 10, 1)[1][0]
    os.waitpid(pid, 0)
    yield "imported again", [import_memory("k", fd_again), map_memory("b", "k"), look("b", 8), kernel_byte("b")]


@question("a process forks while it has another's memory: the child ends, and takes nothing along")
def forks_with_opened():
    take("a"), ours_as("h", "v"), create_event("e")
    process = OtherProcess()
    yield "received", [process.ask(open_memory, "b", ipc_handle("a")), import_in(process, "k", descriptor("h")),
                       process.ask(map_memory, "w", "k"),
                       process.ask(open_event, "f", event_handle("e"))]
    for how in ("at once", "with destructors"):
        yield f"a child that ends {how}", process.ask(fork_status, how)
        yield f"{how}: then", [process.ask(look, "b"), process.ask(fill, "b", 0x21), process.ask(look, "w"),
                               process.ask(put, "w", 3), process.ask(event_state, "f"),
                               process.ask(record_event, "f"), process.ask(await_event, "f")]
        yield f"{how}: the owner's", [look("a"), look("v"), event_state("e")]


def ours_as(handle, label):
    create_physical(handle), map_memory(label, handle), put(label, 2, 16)


def fork_status(how):
    return in_fork(lambda: None, *([ctypes.CDLL(None).exit] if how == "with destructors" else []))


@question("in a child that is forked after cuInit no call that shares works", alone=True)
def calls_in_child():
    take("a"), ours_as("h", "v"), create_event("e"), pool("o"), take_from_pool("x", "o")
    process = OtherProcess()
    process.ask(take, "a")
    handle, fd, pool_fd = process.ask(ipc_handle, "a"), int(descriptor("h")), int(pool_descriptor("o"))
    open_memory("b", handle)
    calls = {"offer": lambda: export_status(ipc_handle("a")), "open": lambda: open_memory("c", handle), "close": lambda: close_memory("b"),
             "offer an event": lambda: export_status(event_handle("e")), "export": lambda: given_number(descriptor("h")),
             "import": lambda: import_memory("k", os.dup(fd)), "map": lambda: map_memory("w", "h"),
             "release": lambda: release_handle("h"),
             "export a pool": lambda: given_number(pool_descriptor("o")),
             "import a pool": lambda: import_pool("p", os.dup(pool_fd)),
             "export a pointer": lambda: export_status(pointer_data("x")),
             "rights": lambda: ask(cu.cuMemSetAccess(number("v"), 2 << 20, [access("read")], 1)),
             "a range": lambda: ask(cu.cuMemGetAddressRange(number("a"))),
             "reserve": lambda: ask(cu.cuMemAddressReserve(2 << 20, 0, 0, 0))}
    for label, call in calls.items():
        yield label, in_child(call)
    yield "the parent's", [look("b"), close_memory("b"), look("v"), export_status(pointer_data("x")), kernel_byte("a")]


def given_number(answer):
    return answer if isinstance(answer, str) else "given"


def at_once(work):
    """What each of several threads, which have the context, finds."""
    context, results, start = must(cu.cuCtxGetCurrent()), [None] * THREADS, threading.Barrier(THREADS)

    def in_a_thread(n):
        must(cu.cuCtxSetCurrent(context))
        start.wait()
        results[n] = work(n)
    threads = [threading.Thread(target=in_a_thread, args=(n,)) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def open_at_once(handles_):
    codes = at_once(lambda n: [open_memory(f"m{n}", handles_[n]), look(f"m{n}"), close_memory(f"m{n}")])
    codes_of_one = at_once(lambda n: open_memory(f"s{n}", handles_[0]))
    return {"each its own": codes, "all the same": [codes_of_one, len({number(f"s{n}") for n in range(THREADS)})],
            "closed by each": [sorted(at_once(lambda n: close_memory(f"s{n}"))), copy_code("s0")]}


@question("threads open handles at once, each its own or all the same")
def threads_open():
    for n in range(THREADS):
        take(f"m{n}", 3 << 20, n + 1)
    answers = OtherProcess().ask(open_at_once, [ipc_handle(f"m{n}") for n in range(THREADS)])
    yield from answers.items() if isinstance(answers, dict) else [("how the process ended", answers)]


def import_at_once(fd):
    kind = cu.CUmemAllocationHandleType(1)

    def import_and_look(n):
        result = cu.cuMemImportFromShareableHandle(fd, kind)
        remembered[f"k{n}"] = int(result[1] or 0)
        return [ask(result), map_memory(f"v{n}", f"k{n}"), look(f"v{n}"), ask(cu.cuMemRelease(result[1]))]
    answers = at_once(import_and_look)
    os.close(fd)
    return {"import, map, look, release": answers, "handles": len({number(f"k{n}") for n in range(THREADS)}),
            "addresses": len({number(f"v{n}") for n in range(THREADS)}), "one memory": [put("v0", 7), look("v5")]}


@question("threads import one descriptor at once, and each has a handle and a mapping of its own")
def threads_import():
    exportable_memory()
    answers = OtherProcess().ask(import_at_once, fds=[descriptor("h")])
    yield from answers.items() if isinstance(answers, dict) else [("how the process ended", answers)]
    yield "the exporter's", look("a")


def thread_without_context():
    """Calls of a thread that has no context, in a process that has one."""
    answers = {}

    def work():
        base = reserve()
        answers.update({
            "create": create_physical("k"), "map": ask(cu.cuMemMap(base, 2 << 20, 0, number("k"), 0)),
            "rights": ask(cu.cuMemSetAccess(base, 2 << 20, [access("read and write")], 1)),
            "told": outcome(cu.cuMemGetAccess(location(), base)),
            "export": given_number(outcome(cu.cuMemExportToShareableHandle(number("k"), POSIX, 0))), "pool": pool("o"),
            "pool's export": given_number(pool_descriptor("o")),
            "from the pool": ask(cu.cuMemAllocFromPoolAsync(64, number("o"), 0)),
            "offer": export_status(ipc_handle("a")), "a copy": copy_code("a"),
            "a copy of what is mapped": ask(cu.cuMemcpyDtoH(bytearray(4), base, 4)),
            "type": get_attribute(ATTRIBUTES["MEMORY_TYPE"], number("a"))[0],
            "range": ask(cu.cuMemGetAddressRange(number("a"))),
            "free": ask(cu.cuMemFree(number("a"))), "unmap": ask(cu.cuMemUnmap(base, 2 << 20)),
            "release": release_handle("k")})
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return answers


@question("a thread without a context makes, maps and exports, and neither offers nor copies")
def without_context():
    take("a", 3 << 20)
    answers = thread_without_context()
    yield from answers.items()
    yield "the first thread", [copy_code("a"), ask(cu.cuCtxSynchronize())]


@question("a thread that ends leaves what it opened and imported")
def thread_ends():
    take("a"), ours_as("h", "v")
    process = OtherProcess()
    yield "there", process.ask(received_in_thread, ipc_handle("a"), fds=[descriptor("h")])
    yield "after the thread", [process.ask(look, "b"), process.ask(look, "w"), process.ask(kernel_byte, "b"),
                               process.ask(close_memory, "b"),
                               process.ask(release_handle, "k")]


def received_in_thread(handle, fd):
    context, answers = must(cu.cuCtxGetCurrent()), []

    def work():
        must(cu.cuCtxSetCurrent(context))
        answers.extend([open_memory("b", handle), import_memory("k", fd), map_memory("w", "k")])
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return answers


@question("a child that was forked before cuInit takes what its parent made later, and its parent what it made")
def parent_and_child():
    take("a"), pool("o"), take_from_pool("x", "o")
    process = OtherProcess(None)
    fd = pool_descriptor("o")
    yield "the child begins later", process.ask(begins_and_opens, ipc_handle("a"), pointer_data("x"), fds=[fd])
    yield "the parent opens the child's", [open_memory("c", process.ask(ipc_handle, "own")), look("c"), put("c", 6),
                                           process.ask(look, "own")]
    yield "the child ends", [process.leave(), look("c"), look("a"), look("x"), close_memory("c")]


def begins_and_opens(handle, data, fd):
    must(cu.cuInit(0))
    new_context()
    return [take("own", 1000, 4), open_memory("b", handle), look("b"), import_pool("p", fd),
            import_pointer("y", "p", data), look("y")]
