"""Caches are tried here, in the sandbox: each request's address is compared with those before it, and no address leaves.

A script is a list of steps, such as ("a", 1000, 0): allocate 1,000 bytes for stream 0 and call the block a; ("free", "a"). What
comes out is the block that each request got: new memory, or that of an earlier one.

Not here: the streams that are held meanwhile (held_streams).
"""
import threading
import weakref

from course_lib import kernels
from course_lib.core.errors import ask
from course_lib.core.ownership import current_context
from courseware.held_streams.holds import Holds
from cuda_simulator.processor_time import seconds_without_a_core

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from ...exercises.examined import examined
from ...exercises.values import Remark

PATIENCE = 0.5      # seconds that a step of a script has for itself while the streams are held, before they are let go;
KNOWN = 0.05        # of one that has waited in an earlier case
LOOK = 0.01         # seconds between two looks at who waits
UNIT = 512          # blocks are multiples of so many bytes
KEPT = "one of the freed blocks"
WAITED = "`{}` waits for a stream"
CALLED = {"free": "free", "refused": "free", "record": "record_stream"}     # by a step; all others call `allocate`
A = cu.CUpointer_attribute

_have_waited = weakref.WeakSet()     # answers


def what_each_got(names, blocks):
    """What each request got: ``what_each_got("xy", "AA") -> "x: new memory, y: x again"``, as equal blocks are the same memory."""
    first_name = {block: name for name, block in reversed(list(zip(names, blocks)))}
    got = [(name, KEPT if block == KEPT else "new memory" if first_name[block] == name else f"{first_name[block]} again")
           for name, block in zip(names, blocks)]
    return ", ".join(f"{name}: {source}" for name, source in got)


# cache-by-stream ------------------------------------------------------------------------------------------------------

def by_stream(answer, script):
    """Carry out a script while both streams are held; returns what each request got, or what is wrong."""
    current_context()
    return _carried_out(answer, answer(), script, [cuda.Stream(), cuda.Stream()])


def _carried_out(answer, cache, script, streams):
    blocks, requests, earlier, ended, opened, steps_done = {}, [], [], threading.Event(), threading.Event(), 0
    with Holds() as holds:
        for stream in streams:
            holds.put(stream)
        def let_go_of_who_waits(thread):
            before, spent, queued = None, 0.0, seconds_without_a_core("self", thread)
            while spent < (KNOWN if answer in _have_waited else PATIENCE):
                if ended.wait(LOOK):
                    return
                # A step comes to its end on a busy machine, too: what other programs had of the time is not its own.
                queued_now = seconds_without_a_core("self", thread)
                spent = spent + max(0, LOOK - (queued_now - queued)) if before == steps_done else 0.0
                before, queued = steps_done, queued_now
            opened.set()
            holds.open_all()

        watcher = threading.Thread(target=let_go_of_who_waits, args=[threading.get_native_id()])
        watcher.start()
        try:
            for step in script:
                if step == ("cache",):
                    earlier.append(cache)       # it lives, with what it has
                    cache = type(cache)()
                elif wrong := _step(cache, step, blocks, requests, streams, holds):
                    return Remark(wrong)
                if opened.is_set():
                    _have_waited.add(answer)
                    return Remark(WAITED.format(CALLED.get(step[0], "allocate")))
                steps_done += 1
        finally:
            ended.set()
            watcher.join()
    return what_each_got(*zip(*requests))


def _rounded(nbytes):
    return -(-nbytes // UNIT) * UNIT


def _step(cache, step, blocks, requests, streams, holds):
    """Carry out one step; returns what is wrong with it, or None."""
    match step:
        case ("free", name):
            cache.free(blocks[name])
            for stream in (stream for stream in streams if not holds.closed(stream)):
                stream.synchronize()        # a GPU takes a moment to come to an event, on a stream with nothing else to do
            if int(cu.cuMemGetAddressRange(blocks[name])[0]):
                return "`free` gives the block back to the driver, and does not keep it"
        case ("refused", name):
            address = blocks[name] if name in blocks else blocks[min(blocks)] + 4
            try:
                cache.free(address)
            except ValueError as error:
                return None if str(error) else "the ValueError has no text"
            except Exception as error:
                return f"an error of type {type(error).__name__} for an address that is not in use, and no ValueError"
            return "an address that is not in use was freed, and no ValueError said so"
        case ("record", name, stream):
            cache.record_stream(blocks[name], streams[stream])
        case ("work", stream):
            holds.put(streams[stream])
        case ("partly", stream):
            holds.open(holds.closed(streams[stream])[0], threading.Event())
        case ("go", stream):
            for number in holds.closed(streams[stream]):
                holds.open(number, threading.Event())
            streams[stream].synchronize()       # so an event that was recorded there is done
        case ("either", name, nbytes, stream):
            before = list(blocks.values())
            if wrong := _step(cache, (name, nbytes, stream), blocks, requests, streams, holds):
                return wrong
            if before.count(blocks[name]) == 1:     # which of them is for the cache to say, but it has each once
                requests[-1] = name, KEPT
        case (name, nbytes, stream):
            address = cache.allocate(nbytes, streams[stream])
            if not isinstance(address, (int, np.integer)):
                return f"`allocate` returned an object of type {type(address).__name__}, and not an address"
            error, start, size = cu.cuMemGetAddressRange(int(address))
            if int(error):
                return "`allocate` returned a number that is not the address of device memory"
            if cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_IS_MANAGED, address)[1] or int(
                    cu.cuPointerGetAttribute(A.CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, address)[1]):
                return "`allocate` returned memory that is not from `cuMemAlloc`"
            if int(start) + int(size) < int(address) + nbytes:
                return f"a block of {int(start) + int(size) - int(address)} bytes was given out for {nbytes} bytes"
            if int(start) == int(address) and int(size) > _rounded(nbytes):
                return f"a block of {int(size)} bytes was allocated for {nbytes} bytes, which are {_rounded(nbytes)} if they are rounded up"
            blocks[name] = int(address)
            requests.append((name, int(address)))
    return None


# cache-record-stream --------------------------------------------------------------------------------------------------

ADD = "__global__ void add(int *x) { x[threadIdx.x] += 1; }"
FOUND, NOTHING = "`examine` finds a race", "`examine` finds nothing"


def by_record(answer, script, tells=None):
    """What `by_stream` does, with the answer's class made of `Plain`, and streams that are let go by ("go", stream); or the story, in
    which the program tells that B uses the block, or not."""
    current_context()
    if script == "story":
        return _story(answer, tells)
    cache = answer(Plain)
    if isinstance(cache, type) and not issubclass(cache, Plain):
        return Remark("a class that is not derived from `Cache`")
    return _carried_out(answer, cache(), script, [cuda.Stream(), cuda.Stream()])


class Plain:
    """A cache by stream, for those who have not written one."""

    def __init__(self):
        self._used, self._unused = {}, []

    def allocate(self, nbytes, stream):
        """The address of a block for work on `stream`: one that this stream had before, if there is one."""
        kind = stream.handle, _rounded(nbytes)
        address = next((address for address, its in self._unused if its == kind), None)
        if address is None:
            address = int(ask(cu.cuMemAlloc, kind[1]))
        else:
            self._unused.remove((address, kind))
        self._used[address] = kind
        return address

    def free(self, address):
        """The block may be given out again, to the stream that it was allocated for."""
        if address not in self._used:
            raise ValueError(f"{address:#x} is not in use")
        self._unused.append((address, self._used.pop(address)))


def _story(answer, tells):
    """A block is used on B, freed, and given out again on A. What does examining find?"""
    report = examined(_used_on_two_streams, answer, tells)
    if report.failed:
        return Remark(report.failed)
    return FOUND if any(finding["kind"] == "race" for finding in report.findings) else NOTHING


def _used_on_two_streams(answer, tells):
    current_context()
    cache, a, b = answer(Plain)(), cuda.Stream(), cuda.Stream()
    add = kernels.compile(ADD).add
    block = cache.allocate(256, a)
    cuda.memset_d32_async(block, 0, 64, a)
    b.wait_for_event(cuda.Event().record(a))
    add(1, 64, block, stream=b)
    if tells:
        cache.record_stream(block, b)
    cache.free(block)
    add(1, 64, cache.allocate(256, a), stream=a)
    cuda.Context.synchronize()
