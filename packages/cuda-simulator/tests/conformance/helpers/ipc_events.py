"""Words about events of other processes: offered and opened, waited for by a stream, recorded behind a kernel that waits."""
from cuda.bindings import driver as cu

from .between import look, number
from .calls import Refused, ask, must
from .processes import OtherProcess, remembered
from .shareable import await_event, create_event, event_handle, event_state, open_event, record_event
from .streams import Gate

SHORT = 2    # seconds that somebody waits who is expected to wait for ever


def shared_event():
    """Event "e" of this process, and another that has opened it as "f"."""
    create_event("e")
    opener = OtherProcess()
    code = opener.ask(open_event, "f", event_handle("e"))
    if code != "SUCCESS":
        raise Refused(code)
    return opener


def event_owner():
    """(another process with an event "e", the event's handle)"""
    owner = OtherProcess()
    owner.ask(create_event, "e")
    return owner, owner.ask(event_handle, "e")


def stream_wait(label):
    """A stream that waits for the event, and then fills memory: was it done before, and is it after?"""
    stream = remembered["stream"] = must(cu.cuStreamCreate(1))
    return [ask(cu.cuStreamWaitEvent(stream, number(label), 0)), ask(cu.cuMemsetD8Async(number("own"), 0x66, 16, stream)), ask(cu.cuStreamQuery(stream))]


def finish_stream():
    return [ask(cu.cuStreamSynchronize(remembered["stream"])), look("own")]


def record_behind_gate(label):
    stream = must(cu.cuStreamCreate(1))
    remembered["gate"] = Gate(stream)
    return record_event(label, stream)


def open_gate():
    """Open the gate of `record_behind_gate`, and wait for what it held."""
    remembered["gate"].open()
    return ask(cu.cuCtxSynchronize())


def use_event(label):
    return [event_state(label), record_event(label), await_event(label)]


def destroy_event(label):
    return ask(cu.cuEventDestroy(number(label)))
