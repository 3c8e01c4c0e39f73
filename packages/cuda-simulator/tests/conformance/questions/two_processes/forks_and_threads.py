"""Forks and threads of processes that share: what a child holds for its parent, and what threads do at once."""
import ctypes
import functools
import os
import signal
import socket
import threading

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.between import copied, fill, look, number, put, seen, take
from ...helpers.calls import ask, must, new_context, outcome
from ...helpers.memory_kinds import access, location, reserve
from ...helpers.others import Other, remembered
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ...helpers.shareable import (
    POSIX,
    awaited,
    closed,
    descriptor,
    event,
    given,
    imported,
    offered,
    offered_event,
    opened,
    opened_event,
    ours,
    passed,
    physical,
    recorded,
    released,
    shown,
    state,
)
from ...helpers.shared_pools import drawn, imported_pointer, imported_pool, pointer_data, pool, pool_descriptor
from ...helpers.threads_and_forks import in_child, in_fork

asked = functools.partial(question, others=True)
THREADS = 6


def holding(fd, line):
    """In a forked child: hold a descriptor until asked for it, without a call of CUDA."""
    line.recv(1)
    socket.send_fds(line, [b"here"], [fd])


@asked("a forked child holds a descriptor for its parent, which gives everything back and imports it again", alone=True)
def held_by_child():
    ours()
    fd = int(descriptor("h"))
    mine, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = os.fork()
    if not pid:
        signal.alarm(20)
        holding(fd, its)
        os._exit(0)
    os.close(fd)
    yield "release, unmap", [released("h"), ask(cu.cuMemUnmap(number("a"), 2 << 20)), copied("a")]
    mine.send(b"?")
    again = socket.recv_fds(mine, 10, 1)[1][0]
    os.waitpid(pid, 0)
    yield "imported again", [imported("k", again), shown("b", "k"), look("b", 8), seen("b")]


@asked("a process forks while it has another's memory: the child ends, and takes nothing along")
def forks_with_opened():
    take("a"), ours_as("h", "v"), event("e")
    other = Other()
    yield "received", [other.ask(opened, "b", offered("a")), passed(other, "k", descriptor("h")),
                       other.ask(shown, "w", "k"),
                       other.ask(opened_event, "f", offered_event("e"))]
    for how in ("at once", "with destructors"):
        yield f"a child that ends {how}", other.ask(forked, how)
        yield f"{how}: then", [other.ask(look, "b"), other.ask(fill, "b", 0x21), other.ask(look, "w"),
                               other.ask(put, "w", 3), other.ask(state, "f"),
                               other.ask(recorded, "f"), other.ask(awaited, "f")]
        yield f"{how}: the owner's", [look("a"), look("v"), state("e")]


def ours_as(handle, label):
    physical(handle), shown(label, handle), put(label, 2, 16)


def forked(how):
    return in_fork(lambda: None, *([ctypes.CDLL(None).exit] if how == "with destructors" else []))


@asked("in a child that is forked after cuInit no call that shares works", alone=True)
def calls_in_child():
    take("a"), ours_as("h", "v"), event("e"), pool("o"), drawn("x", "o")
    other = Other()
    other.ask(take, "a")
    handle, fd, pool_fd = other.ask(offered, "a"), int(descriptor("h")), int(pool_descriptor("o"))
    opened("b", handle)
    calls = {"offer": lambda: given(offered("a")), "open": lambda: opened("c", handle), "close": lambda: closed("b"),
             "offer an event": lambda: given(offered_event("e")), "export": lambda: given_number(descriptor("h")),
             "import": lambda: imported("k", os.dup(fd)), "map": lambda: shown("w", "h"),
             "release": lambda: released("h"),
             "export a pool": lambda: given_number(pool_descriptor("o")),
             "import a pool": lambda: imported_pool("p", os.dup(pool_fd)),
             "export a pointer": lambda: given(pointer_data("x")),
             "rights": lambda: ask(cu.cuMemSetAccess(number("v"), 2 << 20, [access("read")], 1)),
             "a range": lambda: ask(cu.cuMemGetAddressRange(number("a"))),
             "reserve": lambda: ask(cu.cuMemAddressReserve(2 << 20, 0, 0, 0))}
    for label, call in calls.items():
        yield label, in_child(call)
    yield "the parent's", [look("b"), closed("b"), look("v"), given(pointer_data("x")), seen("a")]


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
    codes = at_once(lambda n: [opened(f"m{n}", handles_[n]), look(f"m{n}"), closed(f"m{n}")])
    same = at_once(lambda n: opened(f"s{n}", handles_[0]))
    return {"each its own": codes, "all the same": [same, len({number(f"s{n}") for n in range(THREADS)})],
            "closed by each": [sorted(at_once(lambda n: closed(f"s{n}"))), copied("s0")]}


@asked("threads open handles at once, each its own or all the same")
def threads_open():
    for n in range(THREADS):
        take(f"m{n}", 3 << 20, n + 1)
    answers = Other().ask(open_at_once, [offered(f"m{n}") for n in range(THREADS)])
    yield from answers.items() if isinstance(answers, dict) else [("how the process ended", answers)]


def import_at_once(fd):
    kind = cu.CUmemAllocationHandleType(1)

    def import_and_look(n):
        result = cu.cuMemImportFromShareableHandle(fd, kind)
        remembered[f"k{n}"] = int(result[1] or 0)
        return [ask(result), shown(f"v{n}", f"k{n}"), look(f"v{n}"), ask(cu.cuMemRelease(result[1]))]
    answers = at_once(import_and_look)
    os.close(fd)
    return {"import, map, look, release": answers, "handles": len({number(f"k{n}") for n in range(THREADS)}),
            "addresses": len({number(f"v{n}") for n in range(THREADS)}), "one memory": [put("v0", 7), look("v5")]}


@asked("threads import one descriptor at once, and each has a handle and a mapping of its own")
def threads_import():
    ours()
    answers = Other().ask(import_at_once, fds=[descriptor("h")])
    yield from answers.items() if isinstance(answers, dict) else [("how the process ended", answers)]
    yield "the exporter's", look("a")


def thread_without_context():
    """Calls of a thread that has no context, in a process that has one."""
    answers = {}

    def work():
        base = reserve()
        answers.update({
            "create": physical("k"), "map": ask(cu.cuMemMap(base, 2 << 20, 0, number("k"), 0)),
            "rights": ask(cu.cuMemSetAccess(base, 2 << 20, [access("read and write")], 1)),
            "told": outcome(cu.cuMemGetAccess(location(), base)),
            "export": given_number(outcome(cu.cuMemExportToShareableHandle(number("k"), POSIX, 0))), "pool": pool("o"),
            "pool's export": given_number(pool_descriptor("o")),
            "from the pool": ask(cu.cuMemAllocFromPoolAsync(64, number("o"), 0)),
            "offer": given(offered("a")), "a copy": copied("a"),
            "a copy of what is mapped": ask(cu.cuMemcpyDtoH(bytearray(4), base, 4)),
            "type": get_attribute(ATTRIBUTES["MEMORY_TYPE"], number("a"))[0],
            "range": ask(cu.cuMemGetAddressRange(number("a"))),
            "free": ask(cu.cuMemFree(number("a"))), "unmap": ask(cu.cuMemUnmap(base, 2 << 20)),
            "release": released("k")})
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return answers


@asked("a thread without a context makes, maps and exports, and neither offers nor copies")
def without_context():
    take("a", 3 << 20)
    answers = thread_without_context()
    yield from answers.items()
    yield "the first thread", [copied("a"), ask(cu.cuCtxSynchronize())]


@asked("a thread that ends leaves what it opened and imported")
def thread_ends():
    take("a"), ours_as("h", "v")
    other = Other()
    yield "there", other.ask(received_in_thread, offered("a"), fds=[descriptor("h")])
    yield "after the thread", [other.ask(look, "b"), other.ask(look, "w"), other.ask(seen, "b"), other.ask(closed, "b"),
                               other.ask(released, "k")]


def received_in_thread(handle, fd):
    context, answers = must(cu.cuCtxGetCurrent()), []

    def work():
        must(cu.cuCtxSetCurrent(context))
        answers.extend([opened("b", handle), imported("k", fd), shown("w", "k")])
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return answers


@asked("a child that was forked before cuInit takes what its parent made later, and its parent what it made")
def parent_and_child():
    take("a"), pool("o"), drawn("x", "o")
    other = Other(None)
    fd = pool_descriptor("o")
    yield "the child begins later", other.ask(begins_and_opens, offered("a"), pointer_data("x"), fds=[fd])
    yield "the parent opens the child's", [opened("c", other.ask(offered, "own")), look("c"), put("c", 6),
                                           other.ask(look, "own")]
    yield "the child ends", [other.leave(), look("c"), look("a"), look("x"), closed("c")]


def begins_and_opens(handle, data, fd):
    must(cu.cuInit(0))
    new_context()
    return [take("own", 1000, 4), opened("b", handle), look("b"), imported_pool("p", fd),
            imported_pointer("y", "p", data), look("y")]
