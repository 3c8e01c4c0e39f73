"""Memory handed to other processes by its IPC handle: pipelines, counting, contexts, what is left open."""
import os
import tempfile
from pathlib import Path

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers import kernels
from ...helpers.between import address_range, attributes, copy_code, fill, free, kernel_byte, look, number, put, take, word
from ...helpers.calls import ask, must, new_context, using
from ...helpers.ipc_memory import shared_memory
from ...helpers.kernels import i32
from ...helpers.memory_kinds import SMALL
from ...helpers.processes import OtherProcess, remembered
from ...helpers.shareable import close_memory, export_status, ipc_handle, open_memory

MIB = 1 << 20


@question("a producer and a consumer take turns with one block, by kernels and by copies")
def turns():
    opener = shared_memory()
    for n in range(3):
        yield f"round {n}: filled here by a kernel, read there", [fill("a", 16 * n, 64), opener.ask(look, "b", 8),
                                                                  opener.ask(kernel_byte, "b", 63)]
        yield f"round {n}: changed there by a kernel, read here", [opener.ask(fill, "b", 100 + n, 8, 8), look("a", 16),
                                                                   kernel_byte("a", 15)]
        yield f"round {n}: changed there by a copy", [opener.ask(put, "b", n + 2, 8, 32), look("a", 8, 32),
                                                      kernel_byte("a", 33)]


def count_threads(label, times):
    for _ in range(times):
        must(kernels.run("count_threads", number(label), grid=5, block=20))
    return "added"


@question("processes count in one cell by atomic additions, one after the other and at once")
def counting():
    take("a")
    must(cu.cuMemsetD8(number("a"), 0, 64)), must(cu.cuCtxSynchronize())
    openers = [OtherProcess() for _ in range(3)]
    yield "open", [opener.ask(open_memory, "b", ipc_handle("a")) for opener in openers]
    yield "one after the other", [[opener.ask(count_threads, "b", n + 1) for n, opener in enumerate(openers)], count_threads("a", 1),
                                  look("a")]
    for opener in openers:
        opener.start(count_threads, "b", 20)
    yield "at once", [count_threads("a", 20), [opener.finish() for opener in openers], look("a")]
    yield "seen by each", [opener.ask(look, "b") for opener in openers]


def opened_from_file(label, path):
    return open_memory(label, Path(path).read_bytes())


@question("a handle is bytes: it may lie in a file until somebody opens it")
def in_a_file():
    take("a", 5 * MIB)
    folder = tempfile.mkdtemp()
    path = Path(folder, "handle")
    path.write_bytes(ipc_handle("a"))
    opener, third = OtherProcess(), OtherProcess()
    yield "open", [opener.ask(opened_from_file, "b", str(path)), third.ask(opened_from_file, "c", str(path))]
    yield "content", [opener.ask(look, "b", 8), third.ask(look, "c", 8)]
    yield "sizes", [opener.ask(address_range, "b"), third.ask(address_range, "c")]
    yield "its length", len(path.read_bytes())
    path.unlink()
    os.rmdir(folder)
    yield "the file is gone, the memory is not", [opener.ask(put, "b", 6), third.ask(look, "c"), look("a")]


def copy_to_own(label, source, size=64):
    """Copy what was opened into memory of one's own, which is taken for it."""
    code = take(label)
    return [code, ask(cu.cuMemcpyDtoD(number(label), number(source), size)), ask(cu.cuCtxSynchronize())]


@question("three processes make a pipeline: each opens what the one before it offers, and offers memory of its own")
def pipeline():
    take("a", SMALL, 5)
    second, third = OtherProcess(), OtherProcess()
    yield "the second opens and copies", [second.ask(open_memory, "b", ipc_handle("a")), second.ask(copy_to_own, "own", "b")]
    yield "the third opens the second's", [third.ask(open_memory, "c", second.ask(ipc_handle, "own")), third.ask(look, "c", 8)]
    yield "the first frees, the third reads on", [second.ask(close_memory, "b"), free("a"), third.ask(look, "c", 8)]
    yield "the second ends, the third reads on", [second.leave(), third.ask(look, "c", 8), third.ask(fill, "c", 9),
                                                  third.ask(look, "c")]
    yield "here, from the third", [third.ask(copy_to_own, "own", "c"), open_memory("d", third.ask(ipc_handle, "own")), look("d", 8)]


def from_one_to_other(to, source):
    return [ask(cu.cuMemcpyDtoD(number(to), number(source), 16)), ask(cu.cuCtxSynchronize()),
            ask(kernels.run("copy", number(to) + 16, number(source), i32(16)))]


@question("a process opens memory of two owners, and copies from one to the other")
def two_owners():
    first, second = OtherProcess(), OtherProcess()
    first.ask(take, "a", SMALL, 2), second.ask(take, "a", SMALL, 3)
    yield "open", [open_memory("x", first.ask(ipc_handle, "a")), open_memory("y", second.ask(ipc_handle, "a"))]
    yield "two addresses", number("x") != number("y")
    yield "from the first's to the second's", [from_one_to_other("y", "x"), second.ask(look, "a", 20),
                                               first.ask(look, "a")]
    yield "the first's owner frees", [first.ask(free, "a"), look("y"), close_memory("x"), look("y")]
    yield "the second's ends", [second.leave(), look("y"), put("y", 4), close_memory("y"), look("y")]


@question("an attribute that one process sets is not another's")
def own_attributes():
    opener = shared_memory()

    def both():
        return [attributes("a").get("SYNC_MEMOPS"), opener.ask(attributes, "b").get("SYNC_MEMOPS")]
    yield "before", both()
    yield "set by the owner", [sync_memops("a"), both()]
    yield "set by the opener", [opener.ask(sync_memops, "b"), both()]
    yield "taken back by the owner", [sync_memops("a", False), both()]
    yield "everything else alike", {key: None for key, value in attributes("a").items()
                                    if key != "SYNC_MEMOPS" and value != opener.ask(attributes, "b")[key]} == {}


@word
def sync_memops(label, on=True):
    return ask(cu.cuPointerSetAttribute(on, cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, number(label)))


@question("contexts of any flags open memory, whatever the owner's flags are")
def context_flags():
    for flags in (0, 1, 2, 4, 8, 16):
        context = new_context(flags)
        take("a")
        opener = OtherProcess()
        yield f"{flags}", [opener.ask(in_context_of, flags, ipc_handle("a")), look("a")]
        opener.kill()
        must(cu.cuCtxDestroy(context))


def in_context_of(flags, handle):
    new_context(12 & ~flags)
    return [open_memory("b", handle), look("b"), put("b", 4), close_memory("b")]


@question("memory of a second context of its owner is opened, and outlives that context")
def second_context():
    context = new_context()
    take("a", 3 * MIB)
    must(cu.cuCtxPopCurrent())
    yield "offered from the first", export_status(ipc_handle("a"))
    with using(context):
        handle = ipc_handle("a")
    opener, third = OtherProcess(), OtherProcess()
    yield "open", [opener.ask(open_memory, "b", handle), opener.ask(look, "b")]
    yield "the context is destroyed", [ask(cu.cuCtxDestroy(context)), copy_code("a"), opener.ask(look, "b"),
                                       opener.ask(kernel_byte, "b")]
    yield "offered then", export_status(ipc_handle("a"))
    yield "a third opens", third.ask(open_memory, "c", handle)
    yield "close, and open again", [opener.ask(close_memory, "b"), opener.ask(look, "b"), opener.ask(open_memory, "b", handle)]


def open_and_close(handle, times):
    codes = []
    for n in range(times):
        codes += [open_memory(f"m{n}", handle), look(f"m{n}"), close_memory(f"m{n}")]
    return [sorted(set(codes)), copy_code(f"m{times - 1}")]


@question("a handle is opened and closed twenty times, by two processes in turn")
def again_and_again():
    take("a", 3 * MIB)
    opener, third = OtherProcess(), OtherProcess()
    yield "the one", opener.ask(open_and_close, ipc_handle("a"), 20)
    yield "the other", third.ask(open_and_close, ipc_handle("a"), 20)
    yield "both", [opener.ask(open_memory, "b", ipc_handle("a")), third.ask(open_and_close, ipc_handle("a"), 5),
                   opener.ask(look, "b")]
    yield "the owner frees", [opener.ask(close_memory, "b"), free("a"), copy_code("a")]


@question("an opener that ends in good order without closing leaves the memory to the next")
def left_open():
    take("a", 3 * MIB)
    handle = ipc_handle("a")
    for n in range(3):
        opener = OtherProcess()
        yield f"{n}", [opener.ask(open_memory, "b", handle), opener.ask(look, "b"), opener.ask(put, "b", n + 2), opener.leave(),
                       look("a")]
    yield "free, and take again", [free("a"), take("a", 3 * MIB, 7), look("a")]


def kept_in_thread(handle):
    """What is opened before another context is made current is there still when the first comes back."""
    context = must(cu.cuCtxGetCurrent())
    answers = [open_memory("b", handle)]
    second = new_context()
    answers += [take("own"), ask(cu.cuMemcpyDtoD(number("own"), number("b"), 16)), ask(cu.cuCtxSynchronize()),
                look("own")]
    must(cu.cuCtxSetCurrent(context))
    answers += [ask(cu.cuCtxDestroy(second)), look("b"), kernel_byte("b"), close_memory("b"),
                remembered.get("own") is not None and copy_code("own")]
    return answers


@question("memory that was opened in one context is copied to memory of another, which goes first")
def beside():
    take("a")
    yield "there", OtherProcess().ask(kept_in_thread, ipc_handle("a"))
    yield "the owner's", look("a")
