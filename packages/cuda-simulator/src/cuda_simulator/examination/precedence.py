"""What is known to come before what, on streams and on the host: by waiting, and not by luck.

Work on a stream comes after the work before it there, after the events that the stream waits for, after what the NULL stream's rules
put before it, and after what the host had waited for when it was given. Each work and each act of the host gets a Stamp, with a
vector clock: of each stream, the last step that is known to come before. That costs something, so it is kept only while kernels are
examined.

Not here: when work is done (device/streams.py), which may be earlier; what is made of it (streams.py).
"""
import itertools
import threading
from dataclasses import dataclass

HOST = -1       # the host's number among the streams; all its threads count as one

listeners = []      # functions that are called when the host has learned something
_sessions = 0       # how many sessions want to know
_lock = threading.Lock()
_numbers = itertools.count()
_turns = itertools.count()
_host, _newest = {}, {}     # stream's number -> its last step that the host knows to be done; that was given out


@dataclass(frozen=True)
class Stamp:
    """When something happens: step `step` of `stream`, behind all that `clock` names. `turn` is its place in the program."""
    stream: int
    step: int
    clock: dict
    turn: int

    def comes_before(self, other):
        """Is this known to come before another Stamp?"""
        return other.clock.get(self.stream, 0) >= self.step

    def known_to_the_host(self):
        """Has the host learned that it is done?"""
        return _host.get(self.stream, 0) >= self.step


def number():
    """A number for a new stream."""
    return next(_numbers)


def keep(change):
    """One session more (1) or less (-1) wants to know."""
    global _sessions
    with _lock:
        _sessions += change


def stamp(stream, predecessors, after_all=False):
    """The Stamp of new work on a stream, by its number; None where nobody wants to know.

    predecessors: the Stamps of what it waits for, or None for those that have none. after_all: it may wait for anything
    """
    if not _sessions:
        return None
    with _lock:
        clock = dict(_newest if after_all else _host)
        for earlier in predecessors:
            if earlier is not None:
                _join(clock, earlier.clock)
        clock[stream] = _newest[stream] = _newest.get(stream, 0) + 1
        if stream == HOST:
            _join(_host, clock)
        return Stamp(stream, clock[stream], clock, next(_turns))


def learn(stamps):
    """The host knows that these are done, and what comes before them."""
    if not _sessions:
        return
    with _lock:
        for work in stamps:
            if work is not None:
                _join(_host, work.clock)
    for tell in list(listeners):
        tell()


def _join(clock, other):
    for stream, step in other.items():
        if clock.get(stream, 0) < step:
            clock[stream] = step
