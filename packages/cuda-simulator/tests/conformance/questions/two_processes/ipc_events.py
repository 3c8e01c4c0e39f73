"""IPC handles of events: recorded in one process, waited for in another."""
import functools

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.between import left_context, number, put, take
from ...helpers.calls import ask, must, new_context, raw
from ...helpers.ipc_events import SHORT, done, late, owned, pending, shared
from ...helpers.others import Other, same
from ...helpers.shareable import awaited, event, given, offered, offered_event, opened, opened_event, recorded, state
from ...helpers.streams import Gate

asked = functools.partial(question, others=True)


@asked("an event that was opened in another process happens when its owner's stream comes to it", alone=True)
def waits():
    other = shared()
    stream = must(cu.cuStreamCreate(1))
    yield "never recorded", [state("e"), other.ask(state, "f"), other.ask(awaited, "f")]
    gate = Gate(stream)
    yield "recorded behind a kernel that waits", [recorded("e", stream), state("e"), other.ask(state, "f")]
    other.start(awaited, "f")
    gate.open()
    yield "the other waited", other.finish()
    yield "then", [awaited("e"), state("e"), other.ask(state, "f")]


@asked("a stream of another process waits for the event", alone=True)
def stream_waits():
    other = shared()
    other.ask(take, "own")
    stream = must(cu.cuStreamCreate(1))
    gate = Gate(stream)
    recorded("e", stream)
    yield "behind the event", other.ask(late, "f")
    gate.open()
    yield "after it", other.ask(done)


@asked("the process that opened an event may record it, too")
def recorded_by_opener():
    other = shared()
    yield "record", other.ask(recorded, "f")
    yield "wait", [awaited("e"), other.ask(awaited, "f")]
    yield "state", [state("e"), other.ask(state, "f")]


@asked("an event has a handle only if it was made for other processes")
def which_have_one():
    for flags in (0, 1, 2, 3, 4, 5, 6, 7):
        created = event(f"e{flags}", flags)
        handle = offered_event(f"e{flags}") if created == "SUCCESS" else None
        yield f"flags {flags}", [created, handle and given(handle)]
    event("e")
    yield "asked twice", offered_event("e") == offered_event("e")
    yield "a handle into nothing", raw("cuIpcGetEventHandle", None, int(number("e")))


def misused(label):
    second = must(cu.cuEventCreate(0))
    must(cu.cuEventRecord(second, 0))
    recorded(label)
    again = offered_event(label)
    return {"time since": ask(cu.cuEventElapsedTime(second, number(label))), "time until": ask(cu.cuEventElapsedTime(number(label), second)),
            "its handle": given(again), "record with flags": ask(cu.cuEventRecordWithFlags(number(label), 0, 0)),
            "destroy": ask(cu.cuEventDestroy(number(label)))}


@asked("an opened event has no time, and is destroyed by each process for itself")
def no_time():
    other = shared()
    answers = other.ask(misused, "f")
    yield from answers.items() if isinstance(answers, dict) else [("how the process ended", answers)]
    yield "the owner's", [recorded("e"), awaited("e")]
    yield "open again", [other.ask(opened_event, "g", offered_event("e")), other.ask(awaited, "g")]


@asked("an event may be opened twice in a process, which has two handles then")
def opened_again():
    other = shared()
    yield "again", other.ask(opened_event, "g", offered_event("e"))
    yield "handles of the process", same(other.ask(number, "f"), other.ask(number, "g"))
    yield "both happen", [recorded("e"), awaited("e"), other.ask(awaited, "f"), other.ask(awaited, "g")]
    yield "in its owner", opened_event("h", offered_event("e"))


@asked("an event's owner goes first: its opener has it still", alone=True)
def owner_goes():
    other = shared()
    recorded("e")
    awaited("e")
    yield "destroyed", [ask(cu.cuEventDestroy(number("e"))), other.ask(state, "f"), other.ask(recorded, "f"), other.ask(awaited, "f")]
    for how, leave in (("its context destroyed", lambda owner: owner.ask(left_context)), ("killed", Other.kill), ("left", Other.leave)):
        owner, handle = owned()
        yield f"{how}: open", opened_event(how, handle)
        owner.ask(recorded, "e")
        leave(owner)
        yield f"{how}: then", [state(how), recorded(how), awaited(how)]


@asked("an owner dies while an event is pending: it never happens, and who waits for it waits for ever")
def pending_owner_dies():
    (owner, handle), openers = owned(), [Other() for _ in range(3)]
    yield "open", [opener.ask(opened_event, "f", handle) for opener in openers]
    yield "record behind a kernel that waits", [owner.ask(pending, "e"), openers[0].ask(state, "f")]
    owner.kill()
    yield "wait", openers[0].ask(awaited, "f", patience=SHORT)
    yield "state", openers[1].ask(state, "f")
    yield "record it again", [openers[2].ask(recorded, "f"), openers[2].ask(awaited, "f", patience=SHORT)]


@asked("a process that opened an event dies while its record of it is pending: what its owner sees, and a process that opens the event then")
def pending_opener_dies():
    (owner, handle), opener, late_one = owned(), Other(), Other()
    yield "open", opener.ask(opened_event, "f", handle)
    yield "record behind a kernel that waits", [opener.ask(pending, "f"), owner.ask(state, "e")]
    opener.kill()
    yield "the owner", owner.ask(state, "e")
    yield "opened after that", [late_one.ask(opened_event, "g", handle), late_one.ask(state, "g")]
    yield "record it again", [owner.ask(recorded, "e"), owner.ask(state, "e")]
    yield "wait", [owner.ask(awaited, "e", patience=SHORT), late_one.ask(state, "g")]


@asked("an event that nobody has opened is recorded behind a kernel that waits, and opened then")
def opened_while_pending():
    (owner, handle), late_one = owned(), Other()
    yield "record behind a kernel that waits", owner.ask(pending, "e")
    yield "opened then", [late_one.ask(opened_event, "f", handle), late_one.ask(state, "f")]
    owner.kill()
    yield "its owner died", [late_one.ask(state, "f"), Other().ask(opened_event, "f", handle)]


@asked("an owner dies while its record is pending, and nobody else has the event open: may it be opened then, and has it happened?")
def opened_after_its_owners_death():
    (owner, handle), late_one = owned(), Other()
    yield "record behind a kernel that waits", owner.ask(pending, "e")
    owner.kill()
    yield "open", [late_one.ask(opened_event, "f", handle), late_one.ask(state, "f")]


@asked("bytes that are no event's handle are not opened")
def wrong_handles():
    take("a")
    event("e")
    handle = offered_event("e")
    for label, wrong in (("zeros", bytes(64)), ("ones", b"\xff" * 64), ("a handle of memory", offered("a"))):
        yield label, Other().ask(opened_event, "f", wrong)
    yield "opened as memory", Other().ask(opened, "b", handle)
    must(cu.cuEventDestroy(number("e")))
    yield "of a destroyed event", Other().ask(opened_event, "f", handle)


@asked("events of other processes want a context of the same device alone")
def contexts():
    event("e")
    handle = offered_event("e")
    other = Other()
    yield "in a second context there", other.ask(in_second, handle)
    yield "in a process without cuInit", Other(None).ask(opened_event, "f", handle)
    new_context()
    yield "offered from another context of the owner", lambda: offered_event("e")


def in_second(handle):
    first = opened_event("f", handle)
    new_context()
    take("own")
    return [first, opened_event("g", handle), recorded("g"), recorded("f"), put("own", 1), ask(cu.cuCtxPopCurrent()), recorded("f"), awaited("f")]
