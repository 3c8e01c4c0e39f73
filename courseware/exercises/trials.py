"""Run a learner's answer on the cases of an exercise, whatever it does, and note what came of each.

An answer may raise, print, return anything, or never end: it gets a few seconds, by a timer's signal.

Not here: answers that might break CUDA for their process, or follow a wrong address, which run in one of their own
(sandboxed.py); what the outcomes mean (judge.py).
"""
import builtins
import contextlib
import copy
import inspect
import io
import os
import signal
import sysconfig
import threading
import time
import traceback
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import course_lib
from course_lib.core.errors import name_of

from .exercise import call
from .values import Remark, same, settled

SECONDS = 3             # for all cases together: of the processor's time,
PATIENCE = 4            # or so many times as long by the clock. A machine with other work is no fault of the answer's
MOST_PRINTED = 2000     # characters
FROM_THE_LINE = "It came from the line"
BUILTINS = vars(builtins)
# Where the frames of a traceback are not the learner's: in the course's own folders, in Python's, and where packages
# are installed.
FOLDERS = (os.path.dirname(course_lib.__file__), Path(__file__).resolve().parents[1],
           *map(sysconfig.get_path, ("stdlib", "purelib", "platlib")))
OURS = tuple(os.path.join(folder, "") for folder in FOLDERS)


@dataclass(frozen=True)
class CaseOutcome:
    """What one case came to: a value, or the name of an exception.

    "changed": the first call gave something else than the second, because it changed its arguments; `value` is the
    second's.
    "altered": what it gave is right, and it changed an argument, which `text` names with what is in it now.
    """

    how: str                # "value", "raised", "changed", "altered", "endless", "ended" or "untried"
    value: object = None
    # For people: the exception's message and line; of "changed" the argument; of "endless" the line.
    text: str = ""
    printed: str = ""       # in this case


@dataclass(frozen=True)
class Trial:
    """One case with its outcome."""

    description: str
    call: str
    hidden: bool
    expected: object
    outcome: CaseOutcome
    arguments: tuple = ()       # where they are plain data: those of the case
    random: bool = False        # of random data

    @property
    def right(self):
        """Did the answer return what is expected?"""
        return self.outcome.how == "value" and same(self.outcome.value, self.expected)


class TimeUp(BaseException):
    """The timer's: no `except Exception` of the learner's catches it."""


def run_cases(exercise, answer, report=lambda tried: None):
    """(list of Trial, what the answer printed). Where one case ended everything, those behind it are "untried".

    report: called with the list while all are untried, and then with each Trial that has been tried
    """
    printed = _Printed()
    with ExitStack() as stack, contextlib.redirect_stdout(printed):
        cases = exercise.make_cases(stack)
        trials = [_untried(exercise, case) for case in cases]
        report(trials)
        # A process of its own is ended from outside; there the timer would only disturb the driver's waiting.
        with contextlib.nullcontext() if exercise.sandboxed else _timer():
            for place, case in enumerate(cases):
                before = printed.tell()
                outcome = replace(_outcome(exercise, answer, case), printed=printed.getvalue()[before:])
                trials[place] = replace(trials[place], outcome=outcome)
                report(trials[place])
                if outcome.how == "endless" or (outcome.how == "raised" and exercise.sandboxed):
                    break       # no time is left, or perhaps no context
    return trials, printed.getvalue()


def _untried(exercise, case):
    """The Trial at a case before it is made."""
    plain_data = () if callable(exercise.cases) else case.arguments
    call = case.call or f"{exercise.name}({', '.join(map(repr, case.arguments))})"
    return Trial(case.description, call, case.hidden, case.expected, CaseOutcome("untried"), plain_data, case.random)


def _outcome(exercise, answer, case):
    before, after = BUILTINS.copy(), {}
    try:
        try:
            outcome = _tried(exercise, answer, case)
        finally:    # before anything else: who handles an exception needs them
            after = BUILTINS.copy()
            BUILTINS.update(before)
    except TimeUp as error:
        outcome = CaseOutcome("endless", text=line_of(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:      # SystemExit too
        outcome = CaseOutcome("raised", name_of(error) or type(error).__name__, _in_words(error))
    if outcome.how == "endless":
        return outcome
    for name, value in before.items():
        # _ is the value of the last line, where Python is asked line by line.
        if name != "_" and after.get(name) is not value:
            return CaseOutcome("value", Remark(f"the name {name} another meaning in all of Python, until the check "
                                             "puts it back"))
    return outcome


def _tried(exercise, answer, case):
    # An answer may change its arguments; the next one gets fresh ones. Those made with CUDA are not to be copied.
    if callable(exercise.cases):
        return CaseOutcome("value", _run(exercise, answer, case.arguments))
    arguments = copy.deepcopy(case.arguments)
    value = _run(exercise, answer, arguments)
    return _changed(exercise, answer, case, arguments, value) or CaseOutcome("value", value)


def _run(exercise, answer, arguments):
    """Run the answer. Only in here does the timer ring: what is said of the outcome may take longer than the next
    ring."""
    return settled(exercise.run(answer, *arguments))


def _changed(exercise, answer, case, arguments, first_value):
    """Was the caller's data changed, so that the same question gets another answer? Then what came of asking again."""
    if exercise.run is not call or exercise.kind != "function":
        return None
    changed = [place for place, (after, before) in enumerate(zip(arguments, case.arguments)) if not same(after, before)]
    if not changed or not same(first_value, case.expected):
        return None
    first_value = copy.deepcopy(first_value)        # it may be the argument itself
    second = _run(exercise, answer, arguments)
    name = list(inspect.signature(exercise.answer(exercise.starter)).parameters)[changed[0]]
    if not same(second, first_value):
        return CaseOutcome("changed", second, name)
    if not exercise.keeps and any(_reordered(arguments[place], case.arguments[place]) for place in changed):
        return CaseOutcome("value", first_value)      # another order of the same things is for nobody's harm
    return CaseOutcome("altered", first_value, f"`{name}` is `{arguments[changed[0]]!r}` afterwards")


def _reordered(after, before):
    """Are the same things in two lists?"""
    return sorted(map(repr, after)) == sorted(map(repr, before))


def _in_words(error):
    """An exception in words, with the line of the learner's that raised it."""
    line, text = line_of(error), str(error).strip()
    if isinstance(error, KeyError) and text:        # it has the key only
        text = f"The key is {text}."
    return text + (f"\n{FROM_THE_LINE} `{line}`." if line else "")


def line_of(error):
    """The line of the learner's that an exception came from; "" where Python does not have it."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(OURS)]
    return frames[0].line if frames else ""


@contextlib.contextmanager
def _timer():
    """Raise TimeUp in the learner's code when its time is up, and again, for an `except:` there may swallow it."""
    if threading.current_thread() is not threading.main_thread():
        yield       # signals reach the main thread alone
        return

    begun, worked = time.monotonic(), time.process_time()

    def ring(number, frame):
        up = time.process_time() - worked >= SECONDS or time.monotonic() - begun >= PATIENCE * SECONDS
        if up and frame.f_code is not _run.__code__ and _runs(frame):
            raise TimeUp

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, 0.02)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _runs(frame):
    """Is the answer running, in this frame or above it?"""
    while frame and frame.f_code is not _run.__code__:
        frame = frame.f_back
    return frame is not None


class _Printed(io.StringIO):
    """What an answer prints, up to a length: a loop that prints for ever must not fill the memory."""

    def write(self, text):
        room = MOST_PRINTED - self.tell()
        super().write(text[:max(room, 0)])
        return len(text)

