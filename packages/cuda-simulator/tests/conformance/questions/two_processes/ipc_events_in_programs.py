"""Events handed to other processes: turns with one block, many who wait, contexts, threads, who dies meanwhile."""
import ctypes
import functools
import threading
import time

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.between import fill, left_context, look, number, put, take
from ...helpers.calls import ask, must, name, new_context
from ...helpers.ipc_events import SHORT, destroyed, done, late, let_go, pending, shared
from ...helpers.kernels import i32
from ...helpers.others import Other, remembered
from ...helpers.shareable import awaited, event, given, offered, offered_event, opened, opened_event, recorded, state

asked = functools.partial(question, others=True)


def step(wait, record, label, value):
    """In this process's stream: wait for one event, fill, record the other. Nothing is waited for by the host."""
    if "stream" not in remembered:
        remembered["stream"] = must(cu.cuStreamCreate(1))
    stream = remembered["stream"]
    return [ask(cu.cuStreamWaitEvent(stream, number(wait), 0)),
            ask(kernels.launch("fill", number(label) + value % 4, i32(value), i32(8), stream=stream)),
            recorded(record, stream)]


def settled():
    return ask(cu.cuStreamSynchronize(remembered["stream"]))


@asked("two processes hand a block back and forth by two events, and no host waits")
def back_and_forth():
    take("a"), event("e")
    other = Other()
    other.ask(event, "g")
    yield "open", [other.ask(opened, "b", offered("a")), other.ask(opened_event, "f", offered_event("e")),
                   opened_event("h", other.ask(offered_event, "g"))]
    codes = []
    for n in range(4):
        codes += [step("h", "e", "a", 16 * n), other.ask(step, "f", "g", "b", 16 * n + 8)]
    yield "steps", codes
    yield "the end", [settled(), other.ask(settled), look("a", 12), other.ask(look, "b", 12)]


@asked("four processes wait for one event, and all go on")
def many_wait():
    event("e")
    fill_once()
    openers = [Other() for _ in range(4)]
    yield "open", [opener.ask(opened_event, "f", offered_event("e")) for opener in openers]
    yield "pending", [pending("e"), [opener.ask(state, "f") for opener in openers]]
    for opener in openers:
        opener.start(awaited, "f")
    yield "let go", [let_go(), [opener.finish() for opener in openers], [opener.ask(state, "f") for opener in openers]]
    yield "one is destroyed", [openers[0].ask(destroyed, "f"), [opener.ask(state, "f") for opener in openers[1:]]]


def fill_once():
    take("own")
    return fill("own", 1)


@asked("an event that waits without spinning is opened and waited for like others")
def blocking_wait():
    yield "made", event("e", 7)
    other = Other()
    yield "open", other.ask(opened_event, "f", offered_event("e"))
    yield "pending", [pending("e"), other.ask(state, "f")]
    other.start(awaited, "f")
    yield "let go", [let_go(), other.finish(), awaited("e"), state("e")]


@asked("an owner's event for other processes has no time either")
def owners_time():
    event("e"), event("g"), event("plain", 0)
    yield "recorded", [recorded("e"), recorded("g"), recorded("plain"), ask(cu.cuCtxSynchronize())]
    for start, end in (("e", "g"), ("e", "plain"), ("plain", "e"), ("plain", "plain")):
        yield f"from {start} to {end}", ask(cu.cuEventElapsedTime(number(start), number(end)))
    other = Other()
    other.ask(opened_event, "f", offered_event("e"))
    yield "the opener's, from itself to itself", other.ask(elapsed, "f", "f")


def elapsed(start, end):
    return ask(cu.cuEventElapsedTime(number(start), number(end)))


def in_two_contexts(label):
    """An event that was opened in one context, with the stream of a second."""
    second = new_context()
    stream = must(cu.cuStreamCreate(1))
    return {"a stream of the second waits": [ask(cu.cuStreamWaitEvent(stream, number(label), 0)),
                                             ask(cu.cuStreamSynchronize(stream))],
            "recorded there": [recorded(label, stream), ask(cu.cuStreamSynchronize(stream))],
            "in its NULL stream": [recorded(label), ask(cu.cuCtxSynchronize())],
            "state, wait": [state(label), awaited(label)],
            "destroyed from there": [destroyed(label), ask(cu.cuCtxDestroy(second))]}


@asked("an event of other processes belongs to one context, and a stream of another crashes the driver over it")
def contexts():
    other = shared()
    answers = other.ask(in_two_contexts, "f")
    yield from answers.items() if isinstance(answers, dict) else [("how the process ended", answers)]
    yield "the owner's, in a second context", lambda: second_here("e")
    yield "offered from there", lambda: [given(with_second(offered_event, "e"))]
    yield "the owner's", [recorded("e"), awaited("e")]


def with_second(function, *arguments):
    context = new_context()
    answer = function(*arguments)
    must(cu.cuCtxDestroy(context))
    return answer


def second_here(label):
    new_context()
    stream = must(cu.cuStreamCreate(1))
    answers = [recorded(label, stream), ask(cu.cuStreamWaitEvent(stream, number(label), 0)), state(label)]
    must(cu.cuCtxPopCurrent())
    return answers


def host_function_behind(label):
    """A function of the host, in a stream that waits for the event."""
    remembered["called"] = []
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    remembered["function"] = kind(lambda value: remembered["called"].append(value))
    stream = remembered["stream"] = must(cu.cuStreamCreate(1))
    library = ctypes.CDLL("libcuda.so.1")
    return [ask(cu.cuStreamWaitEvent(stream, number(label), 0)),
            name(library.cuLaunchHostFunc(ctypes.c_void_p(int(stream)), remembered["function"], ctypes.c_void_p(7))),
            remembered["called"][:]]


def called():
    return [ask(cu.cuStreamSynchronize(remembered["stream"])), remembered["called"]]


@asked("a function of the host waits in its stream for another process's event")
def host_function():
    other = shared()
    yield "pending", [pending("e"), other.ask(host_function_behind, "f")]
    yield "let go", [let_go(), other.ask(called)]


@asked("an opener dies while its own record is pending: the owner's event is as that left it")
def opener_dies_recording():
    owner, other, third = Other(), Other(), Other()
    owner.ask(event, "e")
    handle = owner.ask(offered_event, "e")
    yield "open", [other.ask(opened_event, "f", handle), third.ask(opened_event, "f", handle)]
    yield "pending", [other.ask(pending, "f"), owner.ask(state, "e"), third.ask(state, "f")]
    other.kill()
    yield "killed", [owner.ask(state, "e"), third.ask(state, "f")]
    yield "recorded again by its owner", [owner.ask(recorded, "e"), owner.ask(awaited, "e", patience=SHORT)]


@asked("an opener ends while it waits: owner and others go on")
def waiter_dies():
    event("e")
    fill_once()
    other, third = Other(), Other()
    other.ask(opened_event, "f", offered_event("e")), third.ask(opened_event, "f", offered_event("e"))
    third.ask(take, "own"), third.ask(fill, "own", 3)
    yield "pending", [pending("e"), third.ask(late, "f")]
    other.start(awaited, "f")
    yield "kill who waits", [other.kill(), state("e"), third.ask(state, "f")]
    yield "let go", [let_go(), third.ask(done), awaited("e")]


def by_threads(label):
    """Wait in two threads, one with the context and one without."""
    context, answers = must(cu.cuCtxGetCurrent()), {}

    def work(which):
        if which:
            must(cu.cuCtxSetCurrent(context))
        answers[which] = [state(label), awaited(label), recorded(label)]
    for which in (0, 1):
        thread = threading.Thread(target=work, args=(which,))
        thread.start()
        thread.join()
    return [answers[0], answers[1], ask(cu.cuCtxSynchronize())]


@asked("an opened event is used by threads with its context and without")
def threads():
    other = shared()
    yield "recorded", [recorded("e"), awaited("e")]
    yield "there", other.ask(by_threads, "f")
    yield "here", by_threads("e")


@asked("an event is offered before, between and after its records, and is one event")
def offered_when():
    event("e")
    other = Other()
    for n, before in enumerate((lambda: None, lambda: recorded("e"), lambda: awaited("e"), lambda: recorded("e"))):
        before()
        must(cu.cuCtxSynchronize())
        yield f"{n}", [other.ask(opened_event, f"f{n}", offered_event("e")), other.ask(state, f"f{n}"),
                       other.ask(awaited, f"f{n}")]
    yield "pending", [fill_once(), pending("e"), [other.ask(state, f"f{n}") for n in range(4)]]
    yield "let go", [let_go(), awaited("e"), [other.ask(state, f"f{n}") for n in range(4)]]


@asked("the NULL stream of one process does not wait for work of another, with an event or without")
def null_streams():
    other = shared()
    other.ask(take, "own"), other.ask(fill, "own", 1)
    fill_once()
    yield "the owner is busy", [pending("e"), state("e")]
    yield "the opener works on", [other.ask(fill, "own", 0x40), other.ask(look, "own"), other.ask(put, "own", 2),
                                  other.ask(state, "f")]
    yield "let go", [let_go(), other.ask(state, "f")]


@asked("an event of a process whose context broke, or was destroyed and made again")
def broken_owner():
    owner, other = Other(), Other()
    owner.ask(event, "e")
    other.ask(opened_event, "f", owner.ask(offered_event, "e"))
    yield "a fault in the owner", owner.ask(poke_null)
    yield "the opener's", [other.ask(state, "f"), other.ask(recorded, "f"), other.ask(awaited, "f", patience=SHORT)]
    second = Other()
    second.ask(event, "e")
    yield "open another's", other.ask(opened_event, "g", second.ask(offered_event, "e"))
    yield "its context destroyed and made again", [second.ask(left_context), second.ask(made_again)]
    yield "the opener records it", [other.ask(recorded, "g"), other.ask(awaited, "g", patience=SHORT)]


def poke_null():
    return ask(kernels.run("poke", 0, i32(1)))


def made_again():
    new_context()
    return [event("e"), recorded("e"), awaited("e")]


@asked("a stream that waits for an event that nobody has recorded goes on")
def never_recorded():
    other = shared()
    other.ask(take, "own")
    yield "there", [other.ask(late, "f")[:2], other.ask(done)]
    take("own")
    yield "here", [late("e")[:2], done()]
    yield "waited for twice in a stream", twice("e")


def twice(label):
    stream, start = must(cu.cuStreamCreate(0)), time.monotonic()
    codes = [ask(cu.cuStreamWaitEvent(stream, number(label), 0)) for _ in range(2)]
    return [*codes, ask(cu.cuStreamSynchronize(stream)), time.monotonic() - start < 10]
