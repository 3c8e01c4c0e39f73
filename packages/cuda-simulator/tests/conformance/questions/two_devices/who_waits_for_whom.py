"""Who waits for whom between two devices: copies without a stream, memsets, frees, while a kernel holds one of them."""
import ctypes
import threading
import time

from cuda.bindings import driver as cu

from ...asking import two_device_question as question
from ...helpers.calls import ask, must, pattern, using, write
from ...helpers.peers import block_on, kernel_read, on, two_contexts
from ...helpers.streams import Gate

STREAMS = {"NULL": None, "blocking": 0, "non-blocking": 1}
CLOSED = 1.0     # seconds that a gate stays closed; it opens by itself, so that who waits for it is let go


class ObservedDevice:
    """One device's context, memory, stream to look with and page that it looks into."""

    def __init__(self, context, seed):
        self.context, self.address = context, block_on(context, seed)
        with using(context):
            kernel_read(self.address)    # loads the kernels, which would wait for a gate
            self.watcher, self.page = must(cu.cuStreamCreate(1)), int(must(cu.cuMemHostAlloc(64, 0)))
            self.streams = {kind: 0 if flags is None else must(cu.cuStreamCreate(flags)) for kind,
                            flags in STREAMS.items()}

    def byte(self):
        """The first byte, found without waiting for any work but this look."""
        with using(self.context):
            must(cu.cuMemcpyDtoHAsync(self.page, self.address, 1,
                                      self.watcher)), must(cu.cuStreamSynchronize(self.watcher))
        return ctypes.string_at(self.page, 1)

    def refill(self, seed):
        with using(self.context):
            write(self.address, pattern(64, seed)), must(cu.cuCtxSynchronize())

    def held(self, kind):
        """A gate that keeps one stream of the device busy for a while."""
        with using(self.context):
            gate = Gate(self.streams[kind])
        gate.timer = threading.Timer(CLOSED, gate.open)
        gate.timer.start()
        return gate


def places():
    first, second = two_contexts()
    return ObservedDevice(first, 1), ObservedDevice(second, 2)


def change_answer(gate, place, byte_before, patience=0.4):
    """Has the memory changed while the gate is closed?"""
    end = time.monotonic() + patience
    while time.monotonic() < end and gate.cells[0] == 0:
        if place.byte() != byte_before and gate.cells[0] == 0:
            return "done meanwhile"
        time.sleep(0.02)
    return "not yet"


def answer_behind_gate(gate, place, call):
    """The code; whether the call returned before the gate opened; whether its work was done before that."""
    byte_before = place.byte()
    code = ask(call())
    if gate.cells[0]:
        return [code, "the call waited"]
    return [code, "returned at once", change_answer(gate, place, byte_before)]


def end(gate, *contexts):
    gate.timer.cancel()
    gate.open()
    for context in contexts:
        on(context, lambda: must(cu.cuCtxSynchronize()))


def holds(*kinds):
    """(label, the place that is held, the stream that holds it)."""
    source, target = places()
    for kind in kinds or STREAMS:
        for label, held in (("source", source), ("target", target)):
            source.refill(1), target.refill(2)
            yield f"the {label}'s {kind} stream is busy", source, target, held, kind


def copies_while_held(call):
    for label, source, target, held, kind in holds():
        gate = held.held(kind)
        yield label, answer_behind_gate(gate, target, lambda: call(source, target))
        end(gate, source.context, target.context)


@question("cuMemcpyPeer waits for work of both devices, or of one, or of none")
def peer_copy():
    yield from copies_while_held(lambda source, target: cu.cuMemcpyPeer(target.address, target.context, source.address,
                                                                        source.context, 16))


@question("cuMemcpyDtoD between devices waits for work of both devices, or of one, or of none")
def plain_copy():
    yield from copies_while_held(lambda source, target: cu.cuMemcpyDtoD(target.address, source.address, 16))


@question("cuMemcpyDtoD between devices waits for the same with a context of the target current")
def plain_copy_from_target():
    yield from copies_while_held(lambda source, target: on(target.context, cu.cuMemcpyDtoD, target.address, source.address, 16))


@question("with a context of the target current, cuMemcpy between devices waits for the same")
def unified_copy():
    yield from copies_while_held(lambda source, target: on(target.context, cu.cuMemcpy, target.address, source.address, 16))


@question("a copy between devices in a stream waits for that stream, and for what its kind of stream waits for")
def in_streams():
    for label, source, target, held, kind in holds():
        for own in ("NULL", "non-blocking"):
            source.refill(1), target.refill(2)
            gate = held.held(kind)
            yield f"{label}, copied in the source's {own} stream", answer_behind_gate(gate, target, lambda: cu.cuMemcpyPeerAsync(
                target.address, target.context, source.address, source.context, 16, source.streams[own]))
            end(gate, source.context, target.context)


@question("work that comes after a copy between devices waits for it, or does not")
def after():
    for label, source, target, held, kind in holds("NULL"):
        for stream_kind in ("NULL", "blocking", "non-blocking"):
            for name, place in (("source", source), ("target", target)):
                source.refill(1), target.refill(2)
                gate = held.held(kind)
                byte_before = place.byte()
                codes = [ask(cu.cuMemcpyPeerAsync(target.address + 32, target.context, source.address + 32, source.context, 16,
                        0)), on(
                    place.context, lambda: ask(cu.cuMemsetD8Async(place.address, 0xEE, 8, place.streams[stream_kind])))]
                yield f"{label}: a memset in the {name}'s {stream_kind} stream", [codes, change_answer(gate, place, byte_before)]
                end(gate, source.context, target.context)


@question("copies from and to the host and memsets wait for the device of their memory, or for that of their context")
def host_copies():
    calls = {"HtoD": lambda address: cu.cuMemcpyHtoD(address, b"\xEE" * 8, 8),
             "DtoH": lambda address: cu.cuMemcpyDtoH(bytearray(8), address, 8),
             "memset": lambda address: cu.cuMemsetD8(address, 0xEE, 8),
             "free": lambda address: cu.cuMemFree(address + 0)}
    source, target = places()
    for verb, call in calls.items():
        for kind in ("NULL", "non-blocking"):
            for label, held in (("the context's device", source), ("the memory's device", target)):
                target.refill(2)
                spare = block_on(target.context) if verb == "free" else 0
                gate = held.held(kind)
                answer = answer_behind_gate(gate, target, lambda: call(spare or target.address))
                yield f"{verb}: {label}, {kind} stream busy", answer[:2] if verb in ("DtoH", "free") else answer
                end(gate, source.context, target.context)


@question("a context is synchronised, or destroyed, while the other device works")
def synchronising():
    source, target = places()
    for label, held in (("own device", source), ("other device", target)):
        for verb, call in {"cuCtxSynchronize": lambda: cu.cuCtxSynchronize(),
                           "cuMemAlloc": lambda: cu.cuMemAlloc(5 << 20),
                           "cuStreamSynchronize of NULL": lambda: cu.cuStreamSynchronize(0),
                           "cuMemHostAlloc": lambda: cu.cuMemHostAlloc(4096, 0),
                           "cuStreamDestroy": lambda: cu.cuStreamDestroy(must(cu.cuStreamCreate(1))),
                           "cuCtxEnablePeerAccess": lambda: cu.cuCtxEnablePeerAccess(target.context, 0),
                           "cuCtxDisablePeerAccess": lambda: cu.cuCtxDisablePeerAccess(target.context)}.items():
            gate = held.held("non-blocking")
            code = ask(call())
            yield f"{verb}: {label} busy", [code, "the call waited" if gate.cells[0] else "returned at once"]
            end(gate, source.context, target.context)
