"""IPC handles of events: recorded in one process, waited for in another."""

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers.between import destroy_context, number, put, take
from ...helpers.calls import ask, must, new_context, raw
from ...helpers.ipc_events import SHORT, event_owner, finish_stream, record_behind_gate, shared_event, stream_wait
from ...helpers.processes import OtherProcess, same_number
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
from ...helpers.streams import Gate


@question("an event that was opened in another process happens when its owner's stream comes to it", alone=True)
def waits():
    opener = shared_event()
    stream = must(cu.cuStreamCreate(1))
    yield "never recorded", [event_state("e"), opener.ask(event_state, "f"), opener.ask(await_event, "f")]
    gate = Gate(stream)
    yield "recorded behind a kernel that waits", [record_event("e", stream), event_state("e"), opener.ask(event_state, "f")]
    opener.start(await_event, "f")
    gate.open()
    yield "the other waited", opener.finish()
    yield "then", [await_event("e"), event_state("e"), opener.ask(event_state, "f")]


@question("a stream of another process waits for the event", alone=True)
def stream_waits():
    opener = shared_event()
    opener.ask(take, "own")
    stream = must(cu.cuStreamCreate(1))
    gate = Gate(stream)
    record_event("e", stream)
    yield "behind the event", opener.ask(stream_wait, "f")
    gate.open()
    yield "after it", opener.ask(finish_stream)


@question("the process that opened an event may record it, too")
def recorded_by_opener():
    opener = shared_event()
    yield "record", opener.ask(record_event, "f")
    yield "wait", [await_event("e"), opener.ask(await_event, "f")]
    yield "state", [event_state("e"), opener.ask(event_state, "f")]


@question("an event has a handle only if it was made for other processes")
def which_have_one():
    for flags in (0, 1, 2, 3, 4, 5, 6, 7):
        created = create_event(f"e{flags}", flags)
        handle = event_handle(f"e{flags}") if created == "SUCCESS" else None
        yield f"flags {flags}", [created, handle and export_status(handle)]
    create_event("e")
    yield "asked twice", event_handle("e") == event_handle("e")
    yield "a handle into nothing", raw("cuIpcGetEventHandle", None, int(number("e")))


def misuse(label):
    second = must(cu.cuEventCreate(0))
    must(cu.cuEventRecord(second, 0))
    record_event(label)
    handle = event_handle(label)
    return {"time since": ask(cu.cuEventElapsedTime(second, number(label))), "time until": ask(cu.cuEventElapsedTime(number(label), second)),
            "its handle": export_status(handle), "record with flags": ask(cu.cuEventRecordWithFlags(number(label), 0, 0)),
            "destroy": ask(cu.cuEventDestroy(number(label)))}


@question("an opened event has no time, and is destroyed by each process for itself")
def no_time():
    opener = shared_event()
    answers = opener.ask(misuse, "f")
    yield from answers.items() if isinstance(answers, dict) else [("how the process ended", answers)]
    yield "the owner's", [record_event("e"), await_event("e")]
    yield "open again", [opener.ask(open_event, "g", event_handle("e")), opener.ask(await_event, "g")]


@question("an event may be opened twice in a process, which has two handles then")
def opened_again():
    opener = shared_event()
    yield "again", opener.ask(open_event, "g", event_handle("e"))
    yield "handles of the process", same_number(opener.ask(number, "f"), opener.ask(number, "g"))
    yield "both happen", [record_event("e"), await_event("e"), opener.ask(await_event, "f"), opener.ask(await_event, "g")]
    yield "in its owner", open_event("h", event_handle("e"))


@question("an event's owner goes first: its opener has it still", alone=True)
def owner_goes():
    opener = shared_event()
    record_event("e")
    await_event("e")
    yield "destroyed", [ask(cu.cuEventDestroy(number("e"))), opener.ask(event_state, "f"), opener.ask(record_event, "f"),
                        opener.ask(await_event, "f")]
    for how, leave in (("its context destroyed", lambda owner: owner.ask(destroy_context)), ("killed", OtherProcess.kill),
                       ("left", OtherProcess.leave)):
        owner, handle = event_owner()
        yield f"{how}: open", open_event(how, handle)
        owner.ask(record_event, "e")
        leave(owner)
        yield f"{how}: then", [event_state(how), record_event(how), await_event(how)]


@question("an owner dies while an event is pending: it never happens, and who waits for it waits for ever")
def pending_owner_dies():
    (owner, handle), openers = event_owner(), [OtherProcess() for _ in range(3)]
    yield "open", [opener.ask(open_event, "f", handle) for opener in openers]
    yield "record behind a kernel that waits", [owner.ask(record_behind_gate, "e"), openers[0].ask(event_state, "f")]
    owner.kill()
    yield "wait", openers[0].ask(await_event, "f", patience=SHORT)
    yield "state", openers[1].ask(event_state, "f")
    yield "record it again", [openers[2].ask(record_event, "f"), openers[2].ask(await_event, "f", patience=SHORT)]


@question("a process that opened an event dies while its record of it is pending: what its owner sees, and a process that opens the event then")
def pending_opener_dies():
    (owner, handle), opener, late_one = event_owner(), OtherProcess(), OtherProcess()
    yield "open", opener.ask(open_event, "f", handle)
    yield "record behind a kernel that waits", [opener.ask(record_behind_gate, "f"), owner.ask(event_state, "e")]
    opener.kill()
    yield "the owner", owner.ask(event_state, "e")
    yield "opened after that", [late_one.ask(open_event, "g", handle), late_one.ask(event_state, "g")]
    yield "record it again", [owner.ask(record_event, "e"), owner.ask(event_state, "e")]
    yield "wait", [owner.ask(await_event, "e", patience=SHORT), late_one.ask(event_state, "g")]


@question("an event that nobody has opened is recorded behind a kernel that waits, and opened then")
def opened_while_pending():
    (owner, handle), late_one = event_owner(), OtherProcess()
    yield "record behind a kernel that waits", owner.ask(record_behind_gate, "e")
    yield "opened then", [late_one.ask(open_event, "f", handle), late_one.ask(event_state, "f")]
    owner.kill()
    yield "its owner died", [late_one.ask(event_state, "f"), OtherProcess().ask(open_event, "f", handle)]


@question("an owner dies while its record is pending, and nobody else has the event open: may it be opened then, and has it happened?")
def opened_after_its_owners_death():
    (owner, handle), late_one = event_owner(), OtherProcess()
    yield "record behind a kernel that waits", owner.ask(record_behind_gate, "e")
    owner.kill()
    yield "open", [late_one.ask(open_event, "f", handle), late_one.ask(event_state, "f")]


@question("bytes that are no event's handle are not opened")
def wrong_handles():
    take("a")
    create_event("e")
    handle = event_handle("e")
    for label, wrong in (("zeros", bytes(64)), ("ones", b"\xff" * 64), ("a handle of memory", ipc_handle("a"))):
        yield label, OtherProcess().ask(open_event, "f", wrong)
    yield "opened as memory", OtherProcess().ask(open_memory, "b", handle)
    must(cu.cuEventDestroy(number("e")))
    yield "of a destroyed event", OtherProcess().ask(open_event, "f", handle)


@question("events of other processes want a context of the same device alone")
def contexts():
    create_event("e")
    handle = event_handle("e")
    opener = OtherProcess()
    yield "in a second context there", opener.ask(in_second, handle)
    yield "in a process without cuInit", OtherProcess(None).ask(open_event, "f", handle)
    new_context()
    yield "offered from another context of the owner", lambda: event_handle("e")


def in_second(handle):
    code = open_event("f", handle)
    new_context()
    take("own")
    return [code, open_event("g", handle), record_event("g"), record_event("f"), put("own", 1), ask(cu.cuCtxPopCurrent()), record_event("f"), await_event("f")]
