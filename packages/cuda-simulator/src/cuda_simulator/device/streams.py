"""Streams and events: what is done in which order, and by whom.

A piece of `Work` knows what it must wait for. Work that may take long (a kernel) goes to the stream's worker, a
thread, so that the host goes on while a kernel runs: a kernel that waits for the host would never end otherwise.
Work that is quick and has nothing to wait for is done at once.

Order is all there is here. No time is measured, and none is made up.
"""
import _thread
import sys
import threading
import traceback
from collections import deque

from ..examination import precedence
from ..libcuda import interrupts, stand_in
from ..libcuda.results import CallError, Result
from ..libcuda.state import driver, thread
from ..memory.allocations import moments
from ..memory.moving import use

_enter = stand_in.load().stand_in_enter
NON_BLOCKING = 1                       # CU_STREAM_NON_BLOCKING
LEGACY, PER_THREAD = 1, 2              # handles of the streams that every context has

hold = None                            # a Hold (watch.py), while work is held back
_changed = threading.Condition()       # notified when any work is done
_running = set()                       # Work that is being done
_hosts, _waiting = set(), set()        # threads that gave work to streams; and those that wait for some
_SIGNAL_SECONDS = 0.2                  # after which a thread that waits lets handlers of signals run
_IDLE_SECONDS = 2                      # a worker without work ends after this


class Work:
    """One thing to do, after other things."""

    def __init__(self, stream, action, after, stamp=None):
        self.stream = stream
        self.action = action
        self.after = after
        self.stamp = stamp             # what is known to come before it (examination/precedence.py)
        self.moment = next(moments)
        self.order = {}                # number of a stream -> its last work that comes before this, by streams and events; itself, too
        self.done = False
        self.failure = ""              # why it failed, for people
        self.cancelled = False         # ask a running kernel to stop
        self.launch = None             # (function, parameters as bytes), if it is a launch

    def run(self):
        """Do it, unless the driver is broken. A sticky error breaks the driver for good."""
        _running.add(self)
        try:
            if driver.fault is None and self.action is not None:
                with use:
                    self.action(self)
        except CallError as error:
            self.failure = error.why
            driver.fault = driver.fault or error.result
        except BaseException:
            # A defect of the simulation. Whoever waits gets an error, never a result that was not computed.
            print("cuda_simulator: work on a stream failed; please report this:", file=sys.stderr)
            traceback.print_exc()
            driver.fault = driver.fault or Result.UNKNOWN
        finally:
            self.action, self.after = None, ()
            _running.discard(self)
            with _changed:
                self.done = True
                _changed.notify_all()

    def wait(self):
        """Sleep until it is done. What a signal's handler raises meanwhile, such as Ctrl-C's KeyboardInterrupt, ends the kernel
        that is waited for; the program gets it when the call has returned."""
        ours = thread.host_function
        if ours and not self.done and self.order.get(ours.stream.number, 0) >= ours.order[ours.stream.number]:
            raise CallError(Result.NOT_PERMITTED, "a function of a stream waits for what comes behind it: on an H200 this never ends")
        if hold is not None:
            hold.release(self)
        _waiting.add(threading.get_ident())
        try:
            self._sleep()
        finally:
            _waiting.discard(threading.get_ident())
        precedence.learn([self.stamp])

    def _sleep(self):
        while not self.done:
            with _changed:
                if not self.done:
                    _changed.wait(_SIGNAL_SECONDS)
            interrupts.let_handlers_run(self.cancel)

    @property
    def is_all_there_is(self):
        """Is this all that is done now, and do all threads wait that could give a stream more, or change memory?"""
        threads = {thread.ident for thread in threading.enumerate() if not thread.daemon or thread.ident in _hosts}
        return _running == {self} and threads <= _waiting

    def cancel(self):
        """Ask this and everything before it to stop."""
        for work in self.after:
            work.cancel()
        self.cancelled = True


class Stream:
    """A queue of work that is done in order."""
    orphaned = Result.INVALID_CONTEXT      # what an H200 mostly answers for the handle of a destroyed context's stream

    def __init__(self, context, flags=0, priority=0, null=False):
        self.context, self.flags, self.priority, self.null = context, flags, priority, null
        self.destroyed = False
        self.attributes = {}           # as set (calls/stream_attributes.py)
        self.tail = None               # the last work that was given
        self.number = precedence.number()
        self._queue = deque()
        self._giving, self._wake = threading.RLock(), threading.Condition()
        self._served = False           # is there a worker?

    def _tails(self):
        """What new work comes after: the work before it, and what the NULL stream's rules add."""
        tails = [self.tail]
        if self.null:
            streams = tuple(self.context.streams)       # another thread may make one meanwhile
            tails += [stream.tail for stream in streams if not stream.flags & NON_BLOCKING]
        elif not self.flags & NON_BLOCKING:
            tails.append(self.context.null_stream.tail)
        return [work for work in tails if work is not None]

    @property
    def order(self):
        """Of each stream, the last work that comes before what this one is given now."""
        return order_of(self._tails())

    def comes_after(self, work):
        """Is what this stream is given now known to come after some work, by the order of streams and events?"""
        return self.order.get(work.stream.number, 0) >= work.order[work.stream.number]

    def _pending(self):
        """What of it new work has to wait for."""
        return [work for work in self._tails() if not work.done]

    def submit(self, action=None, after=(), background=False, after_all=False):
        """Queue `action(work)`; after all that is before it, and the `after` given.

        after_all: it may wait for work of any stream
        """
        with self._giving:      # threads that give work to one stream: in the queue it is in the order in which it waits for each other
            loading = self.context.loading if action else ()    # an event is no work
            waiting = self._pending() + [work for work in (*after, *loading) if not work.done]
            stamp = precedence.stamp(self.number, [work.stamp for work in (*self._tails(), *after)], after_all)
            work = Work(self, action, waiting, stamp)
            work.order = order_of([*self._tails(), *after])
            work.order[self.number] = work.order.get(self.number, 0) + 1
            self.tail = work
            _hosts.add(threading.get_ident())
            holder = hold
            if holder is None and (waiting or background):
                self.start(work)
                return work
        if holder is not None:
            holder.given(work)
        else:
            work.run()
        return work

    def start(self, work):
        """Leave work to the stream's worker."""
        with self._wake:
            self._queue.append(work)
            if not self._served:
                self._served = True
                _thread.start_new_thread(self._serve, ())    # no Thread: it would run Python's code before and after ours
            self._wake.notify()

    def _serve(self):
        """The worker: work in order, until there has been none for a while."""
        _enter()
        while True:
            with self._wake:
                if not self._queue and not self._wake.wait_for(lambda: self._queue, _IDLE_SECONDS):
                    self._served = False
                    return
                work = self._queue.popleft()
            for earlier in work.after:
                with _changed:
                    while not earlier.done:
                        _changed.wait()
            work.run()

    @property
    def idle(self):
        """Is everything that was given done?"""
        pending = self._pending()
        if pending and hold is not None:
            hold.asked(pending)
        return not pending

    def wait(self):
        """Sleep until everything that was given is done; raise what went wrong on the way."""
        for work in self._pending():
            work.wait()
        self.seen_done()
        settle(self.context)

    def seen_done(self):
        """The host has seen that all work is done."""
        precedence.learn([work.stamp for work in self._tails()])


def order_of(works):
    """Of each stream, the last work that comes before the end of all `works`."""
    order = dict(works[0].order) if works else {}
    for work in works[1:]:
        for number, step in work.order.items():
            if order.get(number, 0) < step:
                order[number] = step
    return order


def settle(context):
    """After waiting: show what kernels printed, and raise the error that they ended with, if any."""
    context.report()
    if driver.fault is not None:
        raise CallError(driver.fault)


class Event:
    """A mark in a stream. `work` is None until it is recorded."""
    stale = Result.CONTEXT_IS_DESTROYED    # what an H200 answers for the handle of a destroyed event
    opened = False                         # from another process

    def __init__(self, context, flags):
        self.context, self.flags = context, flags
        self.work = None
        self.destroyed = False

    def record(self, stream):
        """Put the mark behind what the stream was given."""
        self.work = stream.submit()

    def hold_up(self, stream):
        """Let what the stream is given from now on wait for the mark."""
        if self.work is not None:
            stream.submit(after=[self.work])

    def wait(self):
        """Sleep until the stream has passed the mark."""
        if self.work is not None:
            self.work.wait()
        settle(self.context)

    @property
    def done(self):
        """Has the stream passed the mark? An event never recorded counts as passed."""
        passed = self.work is None or self.work.done
        if not passed and hold is not None:
            hold.asked([self.work])
        return passed

    def seen_done(self):
        """Note that the host has seen that the mark is passed: what it does from now on comes after the work before the mark."""
        if self.work is not None:
            precedence.learn([self.work.stamp])
