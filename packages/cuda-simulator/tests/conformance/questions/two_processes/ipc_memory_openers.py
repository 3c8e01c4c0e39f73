"""Who opens memory by an IPC handle: threads, primary contexts, two processes each from the other; many at once."""
import random
import threading
import time

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers import kernels
from ...helpers.between import copy_code, fill, free, kernel_byte, look, number, put, take
from ...helpers.calls import ask, must, name
from ...helpers.ipc_memory import shared_memory
from ...helpers.kernels import i32
from ...helpers.memory_kinds import SMALL
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ...helpers.processes import OtherProcess, remembered
from ...helpers.shareable import close_memory, ipc_handle, open_memory

MIB = 1 << 20


def by_threads(handle):
    """Open in one thread, read in another, close in a third without a context and in a fourth with one."""
    context, answers = must(cu.cuCtxGetCurrent()), []

    def work(with_context, function, *arguments):
        def run():
            if with_context:
                must(cu.cuCtxSetCurrent(context))
            answers.append(function(*arguments))
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    work(False, open_memory, "b", handle)
    work(True, open_memory, "b", handle)
    work(True, look, "b")
    work(False, look, "b")
    work(False, close_memory, "b")
    work(True, close_memory, "b")
    return [*answers, look("b")]


@question("memory is opened in one thread, and used and closed in others that have the context")
def threads():
    take("a")
    return OtherProcess().ask(by_threads, ipc_handle("a"))


def open_many(handles):
    remembered["codes"] = [open_memory(f"m{n}", handle) for n, handle in enumerate(handles)]
    return [sorted(set(remembered["codes"])), [look(f"m{n}", 2) for n in range(len(handles))]]


def close_many(numbers):
    return sorted({close_memory(f"m{n}") for n in numbers})


@question("forty handles are open at once, and closed in any order")
def many():
    for n in range(40):
        take(f"m{n}", 1000 * (n + 1), n + 1)
    opener = OtherProcess()
    codes, content = opener.ask(open_many, [ipc_handle(f"m{n}") for n in range(40)])
    yield "open", codes
    yield "content", content == [look(f"m{n}", 2) for n in range(40)]
    order = random.Random(5).sample(range(40), 40)
    yield "close thirty", opener.ask(close_many, order[:30])
    yield "the others", [opener.ask(look, f"m{n}", 2) == look(f"m{n}", 2) for n in order[30:]]
    yield "free what is open still", sorted({free(f"m{n}") for n in order[30:]})
    yield "close it", opener.ask(close_many, order[30:])


@question("two processes open each other's memory")
def both_ways():
    take("a", SMALL, 1)
    opener = OtherProcess()
    opener.ask(take, "x", SMALL, 2)
    yield "open", [opener.ask(open_memory, "b", ipc_handle("a")), open_memory("y", opener.ask(ipc_handle, "x"))]
    yield "there: from its own to the other's", [opener.ask(copy_and_wait, "b", "x"), look("a")]
    yield "here: from the other's to its own", [put("y", 3, 16), copy_and_wait("a", "y"), look("a"),
                                                opener.ask(look, "b")]
    yield "close one, the other stays", [opener.ask(close_memory, "b"), look("y"), opener.ask(fill, "x", 0x40), look("y")]
    yield "its owner dies", [opener.kill(), look("y"), close_memory("y"), look("a")]


def copy_and_wait(to, source):
    return [ask(cu.cuMemcpyDtoD(number(to), number(source), 16)), ask(cu.cuCtxSynchronize())]


def primary(work, *arguments):
    """Do something in the primary context, in a process that has no other."""
    must(cu.cuInit(0))
    must(cu.cuCtxSetCurrent(must(cu.cuDevicePrimaryCtxRetain(0))))
    return globals()[work](*arguments)


def reset():
    return [ask(cu.cuDevicePrimaryCtxReset(0)), name(get_attribute(ATTRIBUTES["MEMORY_TYPE"], number("a"))[0])]


def release_and_retain():
    answers = [look("b"), ask(cu.cuDevicePrimaryCtxRelease(0)),
               name(get_attribute(ATTRIBUTES["MEMORY_TYPE"], number("b"))[0])]
    must(cu.cuCtxSetCurrent(must(cu.cuDevicePrimaryCtxRetain(0))))
    return [*answers, look("b"), close_memory("b")]


@question("primary contexts offer and open memory, and lose it when they are given back")
def primary_contexts():
    owner, opener = OtherProcess(None), OtherProcess(None)
    yield "take", owner.ask(primary, "take", "a")
    handle = owner.ask(ipc_handle, "a")
    yield "open", [open_memory("b", handle), opener.ask(primary, "open_memory", "b", handle)]
    yield "the opener releases its own", opener.ask(release_and_retain)
    yield "and opens again", [opener.ask(open_memory, "c", handle), opener.ask(look, "c")]
    yield "the owner resets its own", owner.ask(reset)
    yield "openers", [look("b"), opener.ask(look, "c"), close_memory("b"), opener.ask(close_memory, "c")]
    yield "open what was reset", open_memory("d", handle)


def written_value(label, value):
    return [ask(cu.cuStreamWriteValue32(0, number(label), value, 0)), ask(cu.cuStreamSynchronize(0))]


@question("a stream waits for a value that another process writes into shared memory", alone=True)
def semaphore():
    take("a")
    must(cu.cuMemsetD8(number("a"), 0, 64)), must(cu.cuCtxSynchronize())
    opener = OtherProcess()
    opener.ask(open_memory, "b", ipc_handle("a"))
    stream = must(cu.cuStreamCreate(1))
    yield "wait for 5", [ask(cu.cuStreamWaitValue32(stream, number("a"), 5, 0)), ask(cu.cuStreamQuery(stream))]
    yield "the other writes 3", [opener.ask(written_value, "b", 3), stream_code(stream, 0.3)]
    yield "the other writes 6", [opener.ask(written_value, "b", 6), stream_code(stream)]
    yield "by a copy", [ask(cu.cuStreamWaitValue32(stream, number("a") + 4, 1, 0)), opener.ask(put, "b", 1, 4, 4),
                        stream_code(stream)]


def stream_code(stream, patience=5.0):
    """Is the stream's work done by then?"""
    end = time.monotonic() + patience
    while time.monotonic() < end and int(cu.cuStreamQuery(stream)[0]):
        time.sleep(0.01)
    return ask(cu.cuStreamQuery(stream))


def busy(label):
    """Begin to write into shared memory, and do not wait."""
    must(kernels.launch("fill", number(label), i32(0x60), i32(SMALL)))
    return "SUCCESS"


@question("an opener is killed in the middle of its work: the owner's memory is usable, and free is free")
def killed_at_work():
    for n in range(3):
        opener = shared_memory()
        yield f"{n}: kill", [opener.ask(busy, "b"), opener.kill()]
        yield f"{n}: the owner", [copy_code("a"), put("a", 2), look("a"), kernel_byte("a"), free("a")]
