"""Events of other processes: opened late, recorded again, waited for by streams, destroyed under those who wait."""

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers import kernels
from ...helpers.between import destroy_context, fill, look, number, take
from ...helpers.calls import ask, must, new_context
from ...helpers.ipc_events import SHORT, destroy_event, finish_stream, open_gate, record_behind_gate, shared_event, stream_wait, use_event
from ...helpers.kernels import i32
from ...helpers.processes import OtherProcess, remembered
from ...helpers.shareable import await_event, create_event, event_handle, event_state, ipc_handle, open_event, open_memory, record_event
from ...helpers.streams import Gate

WAYS = {"killed": OtherProcess.kill, "left": OtherProcess.leave, "its context destroyed": lambda owner: owner.ask(destroy_context)}


@question("an event's handle after its owner has gone")
def opened_late():
    for how, leave in WAYS.items():
        for state_before in ("never recorded", "recorded"):
            owner, opener = OtherProcess(), OtherProcess()
            owner.ask(create_event, "e")
            handle = owner.ask(event_handle, "e")
            if state_before == "recorded":
                owner.ask(record_event, "e"), owner.ask(await_event, "e")
            leave(owner)
            code = opener.ask(open_event, "f", handle)
            yield f"{how}, {state_before}: open", code
            if code == "SUCCESS":
                yield f"{how}, {state_before}: use", opener.ask(use_event, "f", patience=SHORT)


@question("an event that another process has still, when its owner has gone")
def opened_late_beside():
    for how, leave in WAYS.items():
        owner, first, second = OtherProcess(), OtherProcess(), OtherProcess()
        owner.ask(create_event, "e")
        handle = owner.ask(event_handle, "e")
        yield f"{how}: open before", first.ask(open_event, "f", handle)
        leave(owner)
        yield f"{how}: open after", second.ask(open_event, "f", handle)
        yield f"{how}: the same process again", first.ask(open_event, "g", handle)


@question("an event is opened while it is pending, and happens for who came late")
def opened_pending():
    owner, opener = OtherProcess(), OtherProcess()
    owner.ask(create_event, "e")
    yield "record behind a kernel that waits", owner.ask(record_behind_gate, "e")
    yield "open", [opener.ask(open_event, "f", owner.ask(event_handle, "e")), opener.ask(event_state, "f")]
    opener.start(await_event, "f")
    yield "let go", [owner.ask(open_gate), opener.finish(), opener.ask(event_state, "f")]


@question("recorded again, an event is pending again, in every process")
def recorded_again():
    owner, opener = OtherProcess(), OtherProcess()
    owner.ask(create_event, "e"), owner.ask(record_event, "e"), owner.ask(await_event, "e")
    opener.ask(open_event, "f", owner.ask(event_handle, "e"))
    yield "done", [owner.ask(event_state, "e"), opener.ask(event_state, "f")]
    yield "again, behind a kernel", [owner.ask(record_behind_gate, "e"), owner.ask(event_state, "e"), opener.ask(event_state, "f")]
    yield "recorded by the opener meanwhile", [opener.ask(record_event, "f"), opener.ask(await_event, "f", patience=SHORT)]
    yield "let go", [owner.ask(open_gate), owner.ask(await_event, "e", patience=SHORT), owner.ask(event_state, "e")]


@question("a stream that records an event again, while another process's record is pending, waits")
def recorded_behind():
    owner, opener = OtherProcess(), OtherProcess()
    owner.ask(create_event, "e")
    opener.ask(open_event, "f", owner.ask(event_handle, "e")), opener.ask(take, "own")
    yield "the owner's record behind a kernel", [owner.ask(record_behind_gate, "e"), opener.ask(event_state, "f")]
    yield "the opener's, and a memset behind it", [opener.ask(record_then_fill, "f"), opener.ask(finish_stream, patience=SHORT)]
    yield "let go", [owner.ask(open_gate), owner.ask(await_event, "e", patience=SHORT)]


def record_then_fill(label):
    stream = remembered["stream"] = must(cu.cuStreamCreate(1))
    return [record_event(label, stream), ask(cu.cuMemsetD8Async(number("own"), 0x66, 16, stream))]


@question("the owner's stream waits for what the opener recorded", alone=True)
def owner_waits():
    opener = shared_event()
    take("own")
    yield "the opener records behind a kernel", [opener.ask(record_behind_gate, "f"), event_state("e")]
    yield "the owner's stream", stream_wait("e")
    yield "let go", [opener.ask(open_gate), finish_stream(), event_state("e")]


@question("an event is destroyed while it is pending: who has it open gets it all the same")
def destroyed_pending():
    owner, opener = OtherProcess(), OtherProcess()
    owner.ask(create_event, "e")
    opener.ask(open_event, "f", owner.ask(event_handle, "e"))
    yield "pending", [owner.ask(record_behind_gate, "e"), opener.ask(event_state, "f")]
    yield "destroy", owner.ask(destroy_event, "e")
    yield "the opener meanwhile", opener.ask(event_state, "f")
    yield "let go", [owner.ask(open_gate), opener.ask(await_event, "f", patience=SHORT), opener.ask(event_state, "f")]


@question("an opener destroys its event: the owner's and another opener's stay")
def opener_destroys():
    opener = shared_event()
    third = OtherProcess()
    third.ask(open_event, "f", event_handle("e"))
    yield "destroy", opener.ask(destroy_event, "f")
    yield "the owner's", [record_event("e"), await_event("e"), event_state("e")]
    yield "another's", third.ask(use_event, "f")
    yield "open again", [opener.ask(open_event, "g", event_handle("e")), opener.ask(use_event, "g")]


def stream_flags(label):
    answers = {}
    for flags in (0, 1, 2, 1 << 31):
        stream = must(cu.cuStreamCreate(1))
        answers[f"wait with flags {flags}"] = [ask(cu.cuStreamWaitEvent(stream, number(label), flags)),
                                               ask(cu.cuStreamSynchronize(stream))]
    for flags in (0, 1, 2):
        answers[f"record with flags {flags}"] = [ask(cu.cuEventRecordWithFlags(number(label), 0, flags)),
                                                 ask(cu.cuEventSynchronize(number(label)))]
    stream = must(cu.cuStreamCreate(0))
    answers["in a blocking stream"] = [ask(cu.cuEventRecord(number(label), stream)),
                                       ask(cu.cuStreamSynchronize(stream)), event_state(label)]
    answers["in the per-thread stream"] = [ask(cu.cuEventRecord(number(label), 2)), ask(cu.cuStreamSynchronize(2)),
                                           event_state(label)]
    answers["the NULL stream waits"] = [ask(cu.cuStreamWaitEvent(0, number(label), 0)), ask(cu.cuStreamSynchronize(0))]
    return answers


@question("an opened event is recorded and waited for in streams of every kind")
def streams():
    opener = shared_event()
    answers = opener.ask(stream_flags, "f")
    yield from answers.items() if isinstance(answers, dict) else [("how the process ended", answers)]
    yield "the owner's", [event_state("e"), record_event("e"), await_event("e")]


@question("thirty events of one process are opened in another, and each is its own")
def many():
    for n in range(30):
        create_event(f"e{n}")
    opener = OtherProcess()
    yield "open", sorted({opener.ask(open_event, f"f{n}", event_handle(f"e{n}")) for n in range(30)})
    yield "handles alike", len({event_handle(f"e{n}") for n in range(30)})
    yield "one is pending", [record_behind_gate("e7"), [n for n in range(30) if opener.ask(event_state, f"f{n}") != "SUCCESS"]]
    yield "let go", [open_gate(), [n for n in range(30) if opener.ask(event_state, f"f{n}") != "SUCCESS"]]


@question("an opener's context goes: its event goes with it, and the owner's stays")
def opener_context_goes():
    opener = shared_event()
    handle = event_handle("e")
    yield "destroy the context", opener.ask(destroy_context)
    yield "then", opener.ask(fresh_context_opens, handle)
    yield "the owner's", [record_event("e"), await_event("e"), event_state("e")]


def fresh_context_opens(handle):
    new_context()
    return [open_event("g", handle), use_event("g")]


@question("an event of another process orders two processes' work on shared memory", alone=True)
def orders_work():
    """The owner fills behind a gate and records; the opener's stream copies only then."""
    take("a")
    opener = shared_event()
    opener.ask(open_memory, "b", ipc_handle("a")), opener.ask(take, "own")
    fill("a", 0x10)    # loads the kernel: that would wait for the gate
    stream = must(cu.cuStreamCreate(1))
    gate = Gate(stream)
    codes = [ask(kernels.launch("fill", number("a"), i32(0x70), i32(16), stream=stream)), record_event("e", stream)]
    yield "the owner", codes
    yield "the opener queues a copy", opener.ask(copy_after, "f", "own", "b")
    gate.open()
    yield "its content", opener.ask(finish_copy, "own")


def copy_after(label, to, source):
    stream = remembered["stream"] = must(cu.cuStreamCreate(1))
    return [ask(cu.cuStreamWaitEvent(stream, number(label), 0)),
            ask(cu.cuMemcpyDtoDAsync(number(to), number(source), 16, stream)), ask(cu.cuStreamQuery(stream))]


def finish_copy(label):
    return [ask(cu.cuStreamSynchronize(remembered["stream"])), look(label)]
