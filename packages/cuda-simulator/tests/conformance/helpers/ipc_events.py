"""Words about events of other processes: offered and opened, waited for by a stream, recorded behind a kernel that waits."""
from cuda.bindings import driver as cu

from .between import look, number
from .calls import Refused, ask, must
from .others import Other, remembered
from .shareable import awaited, event, offered_event, opened_event, recorded, state
from .streams import Gate

SHORT = 2    # seconds that somebody waits who is expected to wait for ever


def shared():
    """Event "e" of this process, and another that has opened it as "f"."""
    event("e")
    other = Other()
    code = other.ask(opened_event, "f", offered_event("e"))
    if code != "SUCCESS":
        raise Refused(code)
    return other


def owned():
    """(another process with an event "e", the event's handle)"""
    owner = Other()
    owner.ask(event, "e")
    return owner, owner.ask(offered_event, "e")


def late(label):
    """A stream that waits for the event, and then fills memory: was it done before, and is it after?"""
    stream = remembered["stream"] = must(cu.cuStreamCreate(1))
    return [ask(cu.cuStreamWaitEvent(stream, number(label), 0)), ask(cu.cuMemsetD8Async(number("own"), 0x66, 16, stream)), ask(cu.cuStreamQuery(stream))]


def done():
    return [ask(cu.cuStreamSynchronize(remembered["stream"])), look("own")]


def pending(label):
    stream = must(cu.cuStreamCreate(1))
    remembered["gate"] = Gate(stream)
    return recorded(label, stream)


def let_go():
    """Open the gate of `pending`, and wait for what it held."""
    remembered["gate"].open()
    return ask(cu.cuCtxSynchronize())


def use(label):
    return [state(label), recorded(label), awaited(label)]


def destroyed(label):
    return ask(cu.cuEventDestroy(number(label)))
