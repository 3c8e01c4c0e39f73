"""Run a learner's answer on the cases of an exercise, whatever it does, and note what came of each.

An answer may raise, print, return anything, or never end. In this process it gets a few seconds, by a timer's signal;
an exercise whose answers might break the CUDA context, or follow a wrong address, runs in the sandbox instead.

Not here: what the outcomes mean (judge.py).
"""
import contextlib
import copy
import io
import signal
import threading
import traceback
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from .. import sandbox
from ..errors import name_of

SECONDS = 3                 # for all cases together
SANDBOX_SECONDS = 30        # the start of the process and compiling included
MOST_PRINTED = 2000         # characters


@dataclass(frozen=True)
class Outcome:
    """What one case came to: how ("value", "raised", "endless", "ended"), and the value, or the exception's name."""

    how: str
    value: object = None
    text: str = ""          # for people: the exception's message and line

    def like(self, other):
        """True if both came to the same. What is only for people does not count."""
        return self.how == other.how and same(self.value, other.value)


@dataclass(frozen=True)
class Attempt:
    """One case with its outcome."""

    what: str
    call: str
    hidden: bool
    expected: object
    outcome: Outcome

    @property
    def right(self):
        return self.outcome.how == "value" and same(self.outcome.value, self.expected)


class TimeUp(BaseException):
    """The timer's: no `except Exception` of the learner's catches it."""


def attempts(exercise, answer):
    """(list of Attempt, what the answer printed). Fewer attempts than cases where one ended everything."""
    if exercise.sandboxed:
        return _in_the_sandbox(exercise, answer)
    return run_cases(exercise, answer)


def run_cases(exercise, answer):
    """`attempts`, in this process."""
    printed, made = _Printed(), []
    with ExitStack() as stack, contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        cases = exercise.make_cases(stack)
        with _timer():
            for case in cases:
                outcome = _outcome(exercise, answer, case)
                made.append(Attempt(case.what, case.call or _call(exercise, case), case.hidden, case.expected, outcome))
                if outcome.how == "endless" or (outcome.how == "raised" and exercise.sandboxed):
                    break       # no time is left, or perhaps no context
    return made, printed.getvalue()


def _in_the_sandbox(exercise, answer):
    ended = sandbox.run(_child, exercise.id, answer, timeout=SANDBOX_SECONDS)
    if ended.ok:
        return ended.value
    how = "endless" if ended.timed_out else "ended"
    outcome = Outcome(how, ended.error or ended.signal or ended.exception, ended.ending + "\n" + ended.explanation)
    return [Attempt("your code, run in a process of its own", "", False, None, outcome)], ended.printed


def _child(exercise_id, answer):
    from .table import EXERCISES
    return run_cases(EXERCISES[exercise_id], answer)


def _outcome(exercise, answer, case):
    # An answer may change its arguments; the next one gets fresh ones. Those made with CUDA are not to be copied.
    arguments = case.arguments if callable(exercise.cases) else copy.deepcopy(case.arguments)
    try:
        return Outcome("value", exercise.run(answer, *arguments))
    except TimeUp:
        return Outcome("endless")
    except KeyboardInterrupt:
        raise
    except BaseException as error:      # SystemExit too
        return Outcome("raised", name_of(error) or type(error).__name__, _told(error))


def _told(error):
    """An exception in words, with the line of the learner's that raised it."""
    said = str(error).strip()
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "course_lib" not in frame.filename]
    line = frames[0].line if frames else ""
    return said + (f"\nIt came from the line `{line}`." if line else "")


@contextlib.contextmanager
def _timer():
    """Raise TimeUp in the block when its time is up, again and again, for a learner's `except:` may swallow it."""
    if threading.current_thread() is not threading.main_thread():
        yield       # signals reach the main thread alone
        return

    def ring(number, frame):
        raise TimeUp

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class _Printed(io.StringIO):
    """What an answer prints, up to a length: a loop that prints for ever must not fill the memory."""

    def write(self, text):
        room = MOST_PRINTED - self.tell()
        super().write(text[:max(room, 0)])
        return len(text)


def same(one, other):
    """Equality of values as a learner means it: lists and tuples alike, NumPy's numbers and Python's alike, but True
    is not 1, and 1.0 is not 1."""
    one, other = _plain(one), _plain(other)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, (bool, int, float)) and type(one) is not type(other):
        return False
    try:
        return bool(one == other)
    except Exception:       # the learner's own class, for example
        return False


def _plain(value):
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _call(exercise, case):
    return f"{exercise.name}({', '.join(map(repr, case.arguments))})"
