"""Who opens memory by an IPC handle: threads, primary contexts, two processes each from the other; many at once."""
import functools
import random
import threading
import time

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.between import copied, fill, free, look, number, put, seen, take
from ...helpers.calls import ask, must, name
from ...helpers.ipc_memory import shared
from ...helpers.kernels import i32
from ...helpers.memory_kinds import SMALL
from ...helpers.others import Other, remembered
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ...helpers.shareable import closed, offered, opened

asked = functools.partial(question, others=True)
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
    work(False, opened, "b", handle)
    work(True, opened, "b", handle)
    work(True, look, "b")
    work(False, look, "b")
    work(False, closed, "b")
    work(True, closed, "b")
    return [*answers, look("b")]


@asked("memory is opened in one thread, and used and closed in others that have the context")
def threads():
    take("a")
    return Other().ask(by_threads, offered("a"))


def open_many(handles):
    remembered["codes"] = [opened(f"m{n}", handle) for n, handle in enumerate(handles)]
    return [sorted(set(remembered["codes"])), [look(f"m{n}", 2) for n in range(len(handles))]]


def close_many(numbers):
    return sorted({closed(f"m{n}") for n in numbers})


@asked("forty handles are open at once, and closed in any order")
def many():
    for n in range(40):
        take(f"m{n}", 1000 * (n + 1), n + 1)
    other = Other()
    codes, content = other.ask(open_many, [offered(f"m{n}") for n in range(40)])
    yield "open", codes
    yield "content", content == [look(f"m{n}", 2) for n in range(40)]
    order = random.Random(5).sample(range(40), 40)
    yield "close thirty", other.ask(close_many, order[:30])
    yield "the others", [other.ask(look, f"m{n}", 2) == look(f"m{n}", 2) for n in order[30:]]
    yield "free what is open still", sorted({free(f"m{n}") for n in order[30:]})
    yield "close it", other.ask(close_many, order[30:])


@asked("two processes open each other's memory")
def both_ways():
    take("a", SMALL, 1)
    other = Other()
    other.ask(take, "x", SMALL, 2)
    yield "open", [other.ask(opened, "b", offered("a")), opened("y", other.ask(offered, "x"))]
    yield "there: from its own to the other's", [other.ask(copy_and_wait, "b", "x"), look("a")]
    yield "here: from the other's to its own", [put("y", 3, 16), copy_and_wait("a", "y"), look("a"),
                                                other.ask(look, "b")]
    yield "close one, the other stays", [other.ask(closed, "b"), look("y"), other.ask(fill, "x", 0x40), look("y")]
    yield "its owner dies", [other.kill(), look("y"), closed("y"), look("a")]


def copy_and_wait(to, source):
    return [ask(cu.cuMemcpyDtoD(number(to), number(source), 16)), ask(cu.cuCtxSynchronize())]


def primary(work, *arguments):
    """Do something in the primary context, in a process that has no other."""
    must(cu.cuInit(0))
    must(cu.cuCtxSetCurrent(must(cu.cuDevicePrimaryCtxRetain(0))))
    return globals()[work](*arguments)


def reset():
    return [ask(cu.cuDevicePrimaryCtxReset(0)), name(get_attribute(ATTRIBUTES["MEMORY_TYPE"], number("a"))[0])]


def released_and_retained():
    answers = [look("b"), ask(cu.cuDevicePrimaryCtxRelease(0)),
               name(get_attribute(ATTRIBUTES["MEMORY_TYPE"], number("b"))[0])]
    must(cu.cuCtxSetCurrent(must(cu.cuDevicePrimaryCtxRetain(0))))
    return [*answers, look("b"), closed("b")]


@asked("primary contexts offer and open memory, and lose it when they are given back")
def primary_contexts():
    owner, other = Other(None), Other(None)
    yield "take", owner.ask(primary, "take", "a")
    handle = owner.ask(offered, "a")
    yield "open", [opened("b", handle), other.ask(primary, "opened", "b", handle)]
    yield "the opener releases its own", other.ask(released_and_retained)
    yield "and opens again", [other.ask(opened, "c", handle), other.ask(look, "c")]
    yield "the owner resets its own", owner.ask(reset)
    yield "openers", [look("b"), other.ask(look, "c"), closed("b"), other.ask(closed, "c")]
    yield "open what was reset", opened("d", handle)


def written_value(label, value):
    return [ask(cu.cuStreamWriteValue32(0, number(label), value, 0)), ask(cu.cuStreamSynchronize(0))]


@asked("a stream waits for a value that another process writes into shared memory", alone=True)
def semaphore():
    take("a")
    must(cu.cuMemsetD8(number("a"), 0, 64)), must(cu.cuCtxSynchronize())
    other = Other()
    other.ask(opened, "b", offered("a"))
    stream = must(cu.cuStreamCreate(1))
    yield "wait for 5", [ask(cu.cuStreamWaitValue32(stream, number("a"), 5, 0)), ask(cu.cuStreamQuery(stream))]
    yield "the other writes 3", [other.ask(written_value, "b", 3), waited(stream, 0.3)]
    yield "the other writes 6", [other.ask(written_value, "b", 6), waited(stream)]
    yield "by a copy", [ask(cu.cuStreamWaitValue32(stream, number("a") + 4, 1, 0)), other.ask(put, "b", 1, 4, 4),
                        waited(stream)]


def waited(stream, patience=5.0):
    """Is the stream's work done by then?"""
    end = time.monotonic() + patience
    while time.monotonic() < end and int(cu.cuStreamQuery(stream)[0]):
        time.sleep(0.01)
    return ask(cu.cuStreamQuery(stream))


def busy(label):
    """Begin to write into shared memory, and do not wait."""
    must(kernels.launch("fill", number(label), i32(0x60), i32(SMALL)))
    return "SUCCESS"


@asked("an opener is killed in the middle of its work: the owner's memory is usable, and free is free")
def killed_at_work():
    for n in range(3):
        other = shared()
        yield f"{n}: kill", [other.ask(busy, "b"), other.kill()]
        yield f"{n}: the owner", [copied("a"), put("a", 2), look("a"), seen("a"), free("a")]
