"""Events of other processes: opened late, recorded again, waited for by streams, destroyed under those who wait."""
import functools

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.between import fill, left_context, look, number, take
from ...helpers.calls import ask, must, new_context
from ...helpers.ipc_events import SHORT, destroyed, done, late, let_go, pending, shared, use
from ...helpers.kernels import i32
from ...helpers.others import Other, remembered
from ...helpers.shareable import awaited, event, offered, offered_event, opened, opened_event, recorded, state
from ...helpers.streams import Gate

asked = functools.partial(question, others=True)
WAYS = {"killed": Other.kill, "left": Other.leave, "its context destroyed": lambda owner: owner.ask(left_context)}


@asked("an event's handle after its owner has gone")
def opened_late():
    for how, leave in WAYS.items():
        for first in ("never recorded", "recorded"):
            owner, other = Other(), Other()
            owner.ask(event, "e")
            handle = owner.ask(offered_event, "e")
            if first == "recorded":
                owner.ask(recorded, "e"), owner.ask(awaited, "e")
            leave(owner)
            code = other.ask(opened_event, "f", handle)
            yield f"{how}, {first}: open", code
            if code == "SUCCESS":
                yield f"{how}, {first}: use", other.ask(use, "f", patience=SHORT)


@asked("an event that another process has still, when its owner has gone")
def opened_late_beside():
    for how, leave in WAYS.items():
        owner, first, second = Other(), Other(), Other()
        owner.ask(event, "e")
        handle = owner.ask(offered_event, "e")
        yield f"{how}: open before", first.ask(opened_event, "f", handle)
        leave(owner)
        yield f"{how}: open after", second.ask(opened_event, "f", handle)
        yield f"{how}: the same process again", first.ask(opened_event, "g", handle)


@asked("an event is opened while it is pending, and happens for who came late")
def opened_pending():
    owner, other = Other(), Other()
    owner.ask(event, "e")
    yield "record behind a kernel that waits", owner.ask(pending, "e")
    yield "open", [other.ask(opened_event, "f", owner.ask(offered_event, "e")), other.ask(state, "f")]
    other.start(awaited, "f")
    yield "let go", [owner.ask(let_go), other.finish(), other.ask(state, "f")]


@asked("recorded again, an event is pending again, in every process")
def recorded_again():
    owner, other = Other(), Other()
    owner.ask(event, "e"), owner.ask(recorded, "e"), owner.ask(awaited, "e")
    other.ask(opened_event, "f", owner.ask(offered_event, "e"))
    yield "done", [owner.ask(state, "e"), other.ask(state, "f")]
    yield "again, behind a kernel", [owner.ask(pending, "e"), owner.ask(state, "e"), other.ask(state, "f")]
    yield "recorded by the opener meanwhile", [other.ask(recorded, "f"), other.ask(awaited, "f", patience=SHORT)]
    yield "let go", [owner.ask(let_go), owner.ask(awaited, "e", patience=SHORT), owner.ask(state, "e")]


@asked("a stream that records an event again, while another process's record is pending, waits")
def recorded_behind():
    owner, other = Other(), Other()
    owner.ask(event, "e")
    other.ask(opened_event, "f", owner.ask(offered_event, "e")), other.ask(take, "own")
    yield "the owner's record behind a kernel", [owner.ask(pending, "e"), other.ask(state, "f")]
    yield "the opener's, and a memset behind it", [other.ask(recorded_then_filled, "f"), other.ask(done, patience=SHORT)]
    yield "let go", [owner.ask(let_go), owner.ask(awaited, "e", patience=SHORT)]


def recorded_then_filled(label):
    stream = remembered["stream"] = must(cu.cuStreamCreate(1))
    return [recorded(label, stream), ask(cu.cuMemsetD8Async(number("own"), 0x66, 16, stream))]


@asked("the owner's stream waits for what the opener recorded", alone=True)
def owner_waits():
    other = shared()
    take("own")
    yield "the opener records behind a kernel", [other.ask(pending, "f"), state("e")]
    yield "the owner's stream", late("e")
    yield "let go", [other.ask(let_go), done(), state("e")]


@asked("an event is destroyed while it is pending: who has it open gets it all the same")
def destroyed_pending():
    owner, other = Other(), Other()
    owner.ask(event, "e")
    other.ask(opened_event, "f", owner.ask(offered_event, "e"))
    yield "pending", [owner.ask(pending, "e"), other.ask(state, "f")]
    yield "destroy", owner.ask(destroyed, "e")
    yield "the opener meanwhile", other.ask(state, "f")
    yield "let go", [owner.ask(let_go), other.ask(awaited, "f", patience=SHORT), other.ask(state, "f")]


@asked("an opener destroys its event: the owner's and another opener's stay")
def opener_destroys():
    other = shared()
    third = Other()
    third.ask(opened_event, "f", offered_event("e"))
    yield "destroy", other.ask(destroyed, "f")
    yield "the owner's", [recorded("e"), awaited("e"), state("e")]
    yield "another's", third.ask(use, "f")
    yield "open again", [other.ask(opened_event, "g", offered_event("e")), other.ask(use, "g")]


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
                                       ask(cu.cuStreamSynchronize(stream)), state(label)]
    answers["in the per-thread stream"] = [ask(cu.cuEventRecord(number(label), 2)), ask(cu.cuStreamSynchronize(2)),
                                           state(label)]
    answers["the NULL stream waits"] = [ask(cu.cuStreamWaitEvent(0, number(label), 0)), ask(cu.cuStreamSynchronize(0))]
    return answers


@asked("an opened event is recorded and waited for in streams of every kind")
def streams():
    other = shared()
    answers = other.ask(stream_flags, "f")
    yield from answers.items() if isinstance(answers, dict) else [("how the process ended", answers)]
    yield "the owner's", [state("e"), recorded("e"), awaited("e")]


@asked("thirty events of one process are opened in another, and each is its own")
def many():
    for n in range(30):
        event(f"e{n}")
    other = Other()
    yield "open", sorted({other.ask(opened_event, f"f{n}", offered_event(f"e{n}")) for n in range(30)})
    yield "handles alike", len({offered_event(f"e{n}") for n in range(30)})
    yield "one is pending", [pending("e7"), [n for n in range(30) if other.ask(state, f"f{n}") != "SUCCESS"]]
    yield "let go", [let_go(), [n for n in range(30) if other.ask(state, f"f{n}") != "SUCCESS"]]


@asked("an opener's context goes: its event goes with it, and the owner's stays")
def opener_context_goes():
    other = shared()
    handle = offered_event("e")
    yield "destroy the context", other.ask(left_context)
    yield "then", other.ask(fresh_context_opens, handle)
    yield "the owner's", [recorded("e"), awaited("e"), state("e")]


def fresh_context_opens(handle):
    new_context()
    return [opened_event("g", handle), use("g")]


@asked("an event of another process orders two processes' work on shared memory", alone=True)
def orders_work():
    """The owner fills behind a gate and records; the opener's stream copies only then."""
    take("a")
    other = shared()
    other.ask(opened, "b", offered("a")), other.ask(take, "own")
    fill("a", 0x10)    # loads the kernel: that would wait for the gate
    stream = must(cu.cuStreamCreate(1))
    gate = Gate(stream)
    codes = [ask(kernels.launch("fill", number("a"), i32(0x70), i32(16), stream=stream)), recorded("e", stream)]
    yield "the owner", codes
    yield "the opener queues a copy", other.ask(copy_after, "f", "own", "b")
    gate.open()
    yield "its content", other.ask(copy_done, "own")


def copy_after(label, to, source):
    stream = remembered["stream"] = must(cu.cuStreamCreate(1))
    return [ask(cu.cuStreamWaitEvent(stream, number(label), 0)),
            ask(cu.cuMemcpyDtoDAsync(number(to), number(source), 16, stream)), ask(cu.cuStreamQuery(stream))]


def copy_done(label):
    return [ask(cu.cuStreamSynchronize(remembered["stream"])), look(label)]
