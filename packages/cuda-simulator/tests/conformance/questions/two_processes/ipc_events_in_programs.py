"""Events handed to other processes: turns with one block, many who wait, contexts, threads, who dies meanwhile."""
import ctypes
import threading
import time

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers import kernels
from ...helpers.between import destroy_context, fill, look, number, put, take
from ...helpers.calls import ask, must, name, new_context
from ...helpers.ipc_events import SHORT, destroy_event, finish_stream, open_gate, record_behind_gate, shared_event, stream_wait
from ...helpers.kernels import i32
from ...helpers.processes import OtherProcess, remembered
from ...helpers.shareable import (
    await_event,
    create_event,
    event_handle,
    event_state,
    export_status,
    ipc_handle,
    open_event,
    open_memory,
    record_event,
)


def step(wait, record, label, value):
    """In this process's stream: wait for one event, fill, record the other. Nothing is waited for by the host."""
    if "stream" not in remembered:
        remembered["stream"] = must(cu.cuStreamCreate(1))
    stream = remembered["stream"]
    return [ask(cu.cuStreamWaitEvent(stream, number(wait), 0)),
            ask(kernels.launch("fill", number(label) + value % 4, i32(value), i32(8), stream=stream)),
            record_event(record, stream)]


def stream_code():
    return ask(cu.cuStreamSynchronize(remembered["stream"]))


@question("two processes hand a block back and forth by two events, and no host waits")
def back_and_forth():
    take("a"), create_event("e")
    opener = OtherProcess()
    opener.ask(create_event, "g")
    yield "open", [opener.ask(open_memory, "b", ipc_handle("a")), opener.ask(open_event, "f", event_handle("e")),
                   open_event("h", opener.ask(event_handle, "g"))]
    codes = []
    for n in range(4):
        codes += [step("h", "e", "a", 16 * n), opener.ask(step, "f", "g", "b", 16 * n + 8)]
    yield "steps", codes
    yield "the end", [stream_code(), opener.ask(stream_code), look("a", 12), opener.ask(look, "b", 12)]


@question("four processes wait for one event, and all go on")
def many_wait():
    create_event("e")
    fill_once()
    openers = [OtherProcess() for _ in range(4)]
    yield "open", [opener.ask(open_event, "f", event_handle("e")) for opener in openers]
    yield "pending", [record_behind_gate("e"), [opener.ask(event_state, "f") for opener in openers]]
    for opener in openers:
        opener.start(await_event, "f")
    yield "let go", [open_gate(), [opener.finish() for opener in openers], [opener.ask(event_state, "f") for opener in openers]]
    yield "one is destroyed", [openers[0].ask(destroy_event, "f"), [opener.ask(event_state, "f") for opener in openers[1:]]]


def fill_once():
    take("own")
    return fill("own", 1)


@question("an event that waits without spinning is opened and waited for like others")
def blocking_wait():
    yield "made", create_event("e", 7)
    opener = OtherProcess()
    yield "open", opener.ask(open_event, "f", event_handle("e"))
    yield "pending", [record_behind_gate("e"), opener.ask(event_state, "f")]
    opener.start(await_event, "f")
    yield "let go", [open_gate(), opener.finish(), await_event("e"), event_state("e")]


@question("an owner's event for other processes has no time either")
def owners_time():
    create_event("e"), create_event("g"), create_event("plain", 0)
    yield "recorded", [record_event("e"), record_event("g"), record_event("plain"), ask(cu.cuCtxSynchronize())]
    for start, end in (("e", "g"), ("e", "plain"), ("plain", "e"), ("plain", "plain")):
        yield f"from {start} to {end}", ask(cu.cuEventElapsedTime(number(start), number(end)))
    opener = OtherProcess()
    opener.ask(open_event, "f", event_handle("e"))
    yield "the opener's, from itself to itself", opener.ask(elapsed_code, "f", "f")


def elapsed_code(start, end):
    return ask(cu.cuEventElapsedTime(number(start), number(end)))


def in_two_contexts(label):
    """An event that was opened in one context, with the stream of a second."""
    second = new_context()
    stream = must(cu.cuStreamCreate(1))
    return {"a stream of the second waits": [ask(cu.cuStreamWaitEvent(stream, number(label), 0)),
                                             ask(cu.cuStreamSynchronize(stream))],
            "recorded there": [record_event(label, stream), ask(cu.cuStreamSynchronize(stream))],
            "in its NULL stream": [record_event(label), ask(cu.cuCtxSynchronize())],
            "state, wait": [event_state(label), await_event(label)],
            "destroyed from there": [destroy_event(label), ask(cu.cuCtxDestroy(second))]}


@question("an event of other processes belongs to one context, and a stream of another crashes the driver over it")
def contexts():
    opener = shared_event()
    answers = opener.ask(in_two_contexts, "f")
    yield from answers.items() if isinstance(answers, dict) else [("how the process ended", answers)]
    yield "the owner's, in a second context", lambda: answers_in_second_context("e")
    yield "offered from there", lambda: [export_status(with_second(event_handle, "e"))]
    yield "the owner's", [record_event("e"), await_event("e")]


def with_second(function, *arguments):
    context = new_context()
    answer = function(*arguments)
    must(cu.cuCtxDestroy(context))
    return answer


def answers_in_second_context(label):
    new_context()
    stream = must(cu.cuStreamCreate(1))
    answers = [record_event(label, stream), ask(cu.cuStreamWaitEvent(stream, number(label), 0)), event_state(label)]
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


def host_function_answer():
    return [ask(cu.cuStreamSynchronize(remembered["stream"])), remembered["called"]]


@question("a function of the host waits in its stream for another process's event")
def host_function():
    opener = shared_event()
    yield "pending", [record_behind_gate("e"), opener.ask(host_function_behind, "f")]
    yield "let go", [open_gate(), opener.ask(host_function_answer)]


@question("an opener dies while its own record is pending: the owner's event is as that left it")
def opener_dies_recording():
    owner, opener, third = OtherProcess(), OtherProcess(), OtherProcess()
    owner.ask(create_event, "e")
    handle = owner.ask(event_handle, "e")
    yield "open", [opener.ask(open_event, "f", handle), third.ask(open_event, "f", handle)]
    yield "pending", [opener.ask(record_behind_gate, "f"), owner.ask(event_state, "e"), third.ask(event_state, "f")]
    opener.kill()
    yield "killed", [owner.ask(event_state, "e"), third.ask(event_state, "f")]
    yield "recorded again by its owner", [owner.ask(record_event, "e"), owner.ask(await_event, "e", patience=SHORT)]


@question("an opener ends while it waits: owner and others go on")
def waiter_dies():
    create_event("e")
    fill_once()
    opener, third = OtherProcess(), OtherProcess()
    opener.ask(open_event, "f", event_handle("e")), third.ask(open_event, "f", event_handle("e"))
    third.ask(take, "own"), third.ask(fill, "own", 3)
    yield "pending", [record_behind_gate("e"), third.ask(stream_wait, "f")]
    opener.start(await_event, "f")
    yield "kill who waits", [opener.kill(), event_state("e"), third.ask(event_state, "f")]
    yield "let go", [open_gate(), third.ask(finish_stream), await_event("e")]


def by_threads(label):
    """Wait in two threads, one with the context and one without."""
    context, answers = must(cu.cuCtxGetCurrent()), {}

    def work(number_):
        if number_:
            must(cu.cuCtxSetCurrent(context))
        answers[number_] = [event_state(label), await_event(label), record_event(label)]
    for number_ in (0, 1):
        thread = threading.Thread(target=work, args=(number_,))
        thread.start()
        thread.join()
    return [answers[0], answers[1], ask(cu.cuCtxSynchronize())]


@question("an opened event is used by threads with its context and without")
def threads():
    opener = shared_event()
    yield "recorded", [record_event("e"), await_event("e")]
    yield "there", opener.ask(by_threads, "f")
    yield "here", by_threads("e")


@question("an event is offered before, between and after its records, and is one event")
def offered_when():
    create_event("e")
    opener = OtherProcess()
    for n, prepare in enumerate((lambda: None, lambda: record_event("e"), lambda: await_event("e"), lambda: record_event("e"))):
        prepare()
        must(cu.cuCtxSynchronize())
        yield f"{n}", [opener.ask(open_event, f"f{n}", event_handle("e")), opener.ask(event_state, f"f{n}"),
                       opener.ask(await_event, f"f{n}")]
    yield "pending", [fill_once(), record_behind_gate("e"), [opener.ask(event_state, f"f{n}") for n in range(4)]]
    yield "let go", [open_gate(), await_event("e"), [opener.ask(event_state, f"f{n}") for n in range(4)]]


@question("the NULL stream of one process does not wait for work of another, with an event or without")
def null_streams():
    opener = shared_event()
    opener.ask(take, "own"), opener.ask(fill, "own", 1)
    fill_once()
    yield "the owner is busy", [record_behind_gate("e"), event_state("e")]
    yield "the opener works on", [opener.ask(fill, "own", 0x40), opener.ask(look, "own"), opener.ask(put, "own", 2),
                                  opener.ask(event_state, "f")]
    yield "let go", [open_gate(), opener.ask(event_state, "f")]


@question("an event of a process whose context broke, or was destroyed and made again")
def broken_owner():
    owner, opener = OtherProcess(), OtherProcess()
    owner.ask(create_event, "e")
    opener.ask(open_event, "f", owner.ask(event_handle, "e"))
    yield "a fault in the owner", owner.ask(poke_null)
    yield "the opener's", [opener.ask(event_state, "f"), opener.ask(record_event, "f"), opener.ask(await_event, "f", patience=SHORT)]
    second = OtherProcess()
    second.ask(create_event, "e")
    yield "open another's", opener.ask(open_event, "g", second.ask(event_handle, "e"))
    yield "its context destroyed and made again", [second.ask(destroy_context), second.ask(made_again)]
    yield "the opener records it", [opener.ask(record_event, "g"), opener.ask(await_event, "g", patience=SHORT)]


def poke_null():
    return ask(kernels.run("poke", 0, i32(1)))


def made_again():
    new_context()
    return [create_event("e"), record_event("e"), await_event("e")]


@question("a stream that waits for an event that nobody has recorded goes on")
def never_recorded():
    opener = shared_event()
    opener.ask(take, "own")
    yield "there", [opener.ask(stream_wait, "f")[:2], opener.ask(finish_stream)]
    take("own")
    yield "here", [stream_wait("e")[:2], finish_stream()]
    yield "waited for twice in a stream", twice("e")


def twice(label):
    stream, start = must(cu.cuStreamCreate(0)), time.monotonic()
    codes = [ask(cu.cuStreamWaitEvent(stream, number(label), 0)) for _ in range(2)]
    return [*codes, ask(cu.cuStreamSynchronize(stream)), time.monotonic() - start < 10]
