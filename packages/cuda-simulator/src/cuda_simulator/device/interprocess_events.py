"""Events that several processes record and wait for.

Such an event is two counters in a memory file: how often it was recorded, and how many of these records the streams have come
to. It has happened when the second has reached what the first was. The records are come to in their order, whichever
processes made them. One that a killed process leaves behind is never come to, so whoever waits for the event then waits for
ever, as on an H200.

The file belongs to a context, and goes with it. If the process ends otherwise, its events are opened still, as on an H200: in
the file of somebody who has it or, where nobody has, in a new one, in which no event was recorded. Nothing is left behind.

Not here: events of one process (streams.py), calls (calls/events.py, calls/sharing.py).
"""
import ctypes
import itertools
import struct
import threading
import time
import weakref

from ..libcuda import interrupts, process_memory
from ..libcuda.process_memory import PAGE
from ..libcuda.results import CallError, Result
from ..libcuda.state import driver
from ..memory import directory, memory_files
from ..memory.moving import use
from .streams import Event, settle

SIZE = 64                # bytes of a handle
_MAGIC = b"simevent"
# Process and its start, number of the file, directory and entry, inode of the file, place in it.
_HANDLE = struct.Struct("=4x iQI iIQ I 8s")
_PAIR = ctypes.c_uint64 * 2
_SECONDS = 0.0002        # between two looks
_making = threading.Lock()
_numbers = itertools.count()
_opened = weakref.WeakValueDictionary()    # name of another process's file -> the file, while an event in it is open here


def _name(number, pid, start):
    """What the file of a context is called; no other file has the name, unless it stands for this one."""
    return f"events of process {pid} since {start}, file {number}"


class EventFile:
    """The memory file with the events of one context."""

    def __init__(self):
        self.number, self._place = next(_numbers), 0
        self.file = memory_files.create(_name(self.number, *directory.process()), 0)

    def take(self):
        """The place of a new event. None is used again: who has an event open keeps it when it is destroyed."""
        with _making:
            place, self._place = self._place, self._place + ctypes.sizeof(_PAIR)
            self.file.grow(place // PAGE * PAGE + PAGE)
        return place

    def close(self):
        """The context ends: nobody opens its events any more. Who has one open, or another one of the file, goes on."""
        directory.withdraw(self.file)
        self.file.close()


def _file_of(pid, start, number, folder, entry, inode, place):
    """The file with another process's event; CallError where its context has ended."""
    name = _name(number, pid, start)
    file = _opened.get(name)
    if file is None:
        if directory.began(pid, start):
            file = directory.open_file(pid, start, folder, entry, inode)
        else:
            file = memory_files.open_of_anybody(name) or memory_files.create(name, 0)
        file = _opened[name] = file
    file.grow(place // PAGE * PAGE + PAGE)
    return file


class _Counters:
    """The counters of one event, in a page that several processes map."""

    def __init__(self, file, place):
        self.file, self.place = file, place
        page = process_memory.map_file(file.descriptor, PAGE, offset=place // PAGE * PAGE)
        self._pair = _PAIR.from_address(page + place % PAGE)
        self._own = threading.Lock()
        weakref.finalize(self, process_memory.unmap, page, PAGE).atexit = False    # a stream may look at it until the end

    recorded = property(lambda self: self._pair[0])
    passed = property(lambda self: self._pair[1])

    def count(self, index):
        """Add one, and say how many that makes. Python has no atomic addition; a lock on these bytes of the file has its end
        with its process."""
        with self._own, self.file.locked(self.place, ctypes.sizeof(_PAIR)):
            self._pair[index] += 1
            return self._pair[index]

    def count_both(self):
        """Add one to each, if they are equal: of a record that waits for nothing. Did it? Both at once: one store of 16 bytes, so
        that a process which is killed meanwhile leaves no record pending."""
        with self._own, self.file.locked(self.place, ctypes.sizeof(_PAIR)):
            recorded, passed = self._pair
            if recorded == passed:
                ctypes.memmove(self._pair, _PAIR(recorded + 1, passed + 1), ctypes.sizeof(_PAIR))
            return recorded == passed


def _interrupted():
    raise CallError(Result.NOT_READY, "the wait was interrupted") from None


class InterprocessEvent(Event):
    """An event of this process, or another's that was opened here."""

    def __init__(self, context, flags, counters, opened=False):
        super().__init__(context, flags)
        self._counters, self.opened = counters, opened

    @classmethod
    def new(cls, context, flags):
        """A new one, of this process."""
        with _making:
            context.event_file = context.event_file or EventFile()
        return cls(context, flags, _Counters(context.event_file.file, context.event_file.take()))

    @classmethod
    def opened_by(cls, handle, context, flags):
        """Another process's, by its handle. MAP_FAILED where there is none, as on an H200."""
        pid, start, *where, place, magic = _HANDLE.unpack(handle[:_HANDLE.size])
        if magic != _MAGIC:
            raise CallError(Result.MAP_FAILED, "this is not the handle of an event")
        if (pid, start) == directory.process():
            raise CallError(Result.INVALID_CONTEXT, "a process does not open its own events")
        try:
            file = _file_of(pid, start, *where, place)
        except CallError as error:
            raise CallError(Result.MAP_FAILED, str(error)) from None
        return cls(context, flags, _Counters(file, place), opened=True)

    def handle_for_others(self):
        """The 64 bytes that stand for it."""
        file = self._counters.file
        packed = _HANDLE.pack(*directory.process(), self.context.event_file.number, *directory.enter(file), file.identity[1],
                              self._counters.place, _MAGIC)
        return packed.ljust(SIZE, b"\0")

    def record(self, stream):
        if stream.idle and driver.fault is None and self._counters.count_both():
            self.work = stream.submit()
            return
        number = self._counters.count(0)
        self.work = stream.submit(lambda work: self._come_to(number, work), background=self._counters.passed < number - 1)

    def _come_to(self, number, work):
        """The stream comes to a record, which waits there for the records before it."""
        self._wait(number - 1, work)
        self._counters.count(1)

    def hold_up(self, stream):
        if not self.done:
            recorded = self._counters.recorded
            stream.submit(lambda work: self._wait(recorded, work), background=True, after_all=True)

    def wait(self):
        self._wait(self._counters.recorded)
        settle(self.context)

    def _wait(self, recorded, work=None):
        """Until so many records were come to, or a kernel of this process has failed. Work that is to end fails."""
        while self._counters.passed < recorded and driver.fault is None:
            if work:
                use.step_aside()
            if work and work.cancelled:
                raise CallError(Result.LAUNCH_TIMEOUT, "a stream that waits for another process's event was interrupted")
            interrupts.let_handlers_run(_interrupted)
            time.sleep(_SECONDS)

    @property
    def done(self):
        return self._counters.passed >= self._counters.recorded
