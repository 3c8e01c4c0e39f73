"""A stream that is held: it waits for a word that the host writes, and nothing else of the device is busy meanwhile.

    with Held() as a:                  # a.stream is held
        at_once(lambda: cu.cuMemFree(p))    # -> ["SUCCESS", "went on"]; or "waited", and every stream was let go
"""
import ctypes
import threading
import time

from cuda.bindings import driver as cu

from .calls import must, name

PATIENCE = 1.0    # seconds until a call counts as one that waits
_held = []


class Held:
    """A stream of its own (or the one given) that waits until `go`."""

    def __init__(self, stream=None):
        self.word = int(must(cu.cuMemHostAlloc(64, 0)))
        self.cell = ctypes.c_uint32.from_address(self.word)
        self.cell.value = 0
        self.stream = must(cu.cuStreamCreate(1)) if stream is None else stream
        must(cu.cuStreamWaitValue32(self.stream, self.word, 1, 1))
        _held.append(self)

    def go(self):
        self.cell.value = 1

    def finish(self):
        """Let it go, and return when all that it was given is done; the driver is asked nothing."""
        last_word = self.word + 8
        ctypes.c_uint32.from_address(last_word).value = 0
        must(cu.cuStreamWriteValue32(self.stream, last_word, 1, 0))
        self.go()
        until = time.monotonic() + 5
        while ctypes.c_uint32.from_address(last_word).value != 1 and time.monotonic() < until:
            time.sleep(0.001)
        time.sleep(0.01)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        all_go()
        cu.cuCtxSynchronize()


def all_go():
    while _held:
        _held.pop().go()


def at_once(call):
    """[the call's code, whether the host went on]; if it waits, every held stream is let go after a while."""
    waited = []
    timer = threading.Timer(PATIENCE, lambda: (waited.append(True), all_go()))
    timer.start()
    result = call()
    timer.cancel()
    code = name(result[0])
    return [code, "waited" if waited else "went on"]
