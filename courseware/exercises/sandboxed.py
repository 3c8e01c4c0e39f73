"""Run answers that might break CUDA for their process, or follow a wrong address, in a process of their own.

The cases are made there too, so what comes back has to be free of addresses. Not here: running one answer on the cases
(trials.py), and the process (../sandbox/process.py).
"""
import contextlib
import faulthandler
import linecache
import os
import re
import signal
import tempfile
from dataclasses import replace

import numpy as np

from .. import sandbox
from ..course import lesson
from ..sandbox import returned
from . import faults
from .catalogue import module_of, of_lesson
from .reading import sources
from .trials import CaseOutcome, Trial, run_cases
from .values import Remark

SECONDS = 20            # the start of the process and compiling included
EARLIER = 4             # seconds before that it is noted where the answer is
KERNEL_SECONDS = "6"    # of a kernel over the simulated driver, which then tells where it was
KNOWN_SECONDS = 120     # for an exercise's own mistakes, which all end
# Of faulthandler.
STACK = re.compile(r'^Stack \(most recent call first\):\n(?:  (?:File "|\.\.\.).*\n?)*', re.MULTILINE)
SENDABLE = (str, bytes, int, float, tuple, list, set, np.generic, np.ndarray, type(None))


def trials_of(exercise, answer):
    """(list of Trial, what the answer printed), wherever the exercise's answers are run."""
    if not exercise.sandboxed:
        return run_cases(exercise, answer)
    trials, printed = _in_process(exercise, answer)
    if exercise.also_on:
        there, _ = _in_process(exercise, answer, exercise.also_on)
        trials += _marked(exercise, there)
    return trials, printed


def trials_of_all(exercise, answers):
    """A list of Trial for each answer: for an exercise's own mistakes, which take one process, or a few."""
    if not exercise.sandboxed:
        return [run_cases(exercise, answer)[0] for answer in answers]
    trials_here = _in_processes(exercise, answers)
    if not exercise.also_on:
        return trials_here
    trials_there = _in_processes(exercise, answers, exercise.also_on)
    return [trials + _marked(exercise, others) for trials, others in zip(trials_here, trials_there)]


def _marked(exercise, trials):
    """Attempts on the documented system, which say so."""
    return [replace(trial, description=f"{trial.description}, on the system {exercise.also_on}", hidden=True)
            for trial in trials]


def _in_processes(exercise, answers, system=None):
    """A list of Trial for each answer, of as few processes as can be."""
    trials, together = [], len(answers)
    while len(trials) < len(answers):
        batch = answers[len(trials):len(trials) + together]
        ended = sandbox.run(_children, exercise.lesson, exercise.id, batch, sources(batch), timeout=KNOWN_SECONDS,
                            context=False, system=system, imports=[module_of(lesson(exercise.lesson))])
        if not ended.ok and len(batch) > 1:
            together = len(batch) // 2      # one of them ended the process: which?
            continue
        of_each = ended.value if ended.ok else [None]
        trials += [of_answer or _in_process(exercise, answer, system)[0] for answer, of_answer in zip(batch, of_each)]
        together = len(answers)
    return trials


def _in_process(exercise, answer, system=None):
    """(list of Trial, what the answer printed) of one answer, in a process of its own."""
    with tempfile.NamedTemporaryFile() as file:
        arguments = exercise.lesson, exercise.id, [answer], sources([answer]), file.name
        ended = sandbox.run(_child, *arguments, timeout=SECONDS, context=False, system=system,
                            imports=[module_of(lesson(exercise.lesson))])
        noted = _unpacked(file)
    findings = "".join(f"{line}\n" for line in faults.findings(ended.explanation))
    if not ended.ok:
        return _lost(ended, answer, noted), ended.printed + findings
    [(trials, printed)] = ended.value
    tried_last = max(place for place, trial in enumerate(trials) if trial.outcome.how != "untried")
    explanation = _explanation(ended)
    if trials[tried_last].outcome.how == "raised" and explanation:
        outcome = _explained(trials[tried_last].outcome, explanation, answer)
        trials[tried_last] = replace(trials[tried_last], outcome=outcome)
    return trials, printed + ended.printed + findings


def _explained(outcome, explanation, answer):
    """The outcome of a case that raised, with what the simulated driver said of its cause."""
    endless = faults.endless(explanation, answer)
    if endless:
        return CaseOutcome("endless", text=endless)
    text = faults.in_words(explanation, answer) or f"{outcome.text}\n{explanation}"
    return replace(outcome, text=text.strip())


def _child(topic, exercise_id, answers, sources, notes=None, report=lambda trials: None):
    """In the new process: `run_cases` of each answer, up to the first that breaks CUDA for its process.

    notes:  name of a file, for what `run_cases` reports. It says where an answer was that ended the process
    report: called with the list of Trial of each answer at once
    """
    linecache.cache.update((file, (len(lines), None, lines, file)) for file, lines in sources.items())
    import pycuda.autoinit  # noqa: F401  (here, and not by the sandbox: it would report that CUDA is broken, and no more)
    from cuda.bindings import driver as cu
    exercise = of_lesson(lesson(topic))[exercise_id]
    os.environ.setdefault("CUDA_SIMULATOR_KERNEL_SECONDS", KERNEL_SECONDS)
    outcomes = []
    if len(answers) == 1:
        # By a signal, whose handler runs in the thread that it writes of. dump_traceback_later reads from a thread of
        # its own the frames of one that goes on, and ended a process on a busy machine by SIGSEGV.
        faulthandler.register(signal.SIGALRM, all_threads=False)
        signal.setitimer(signal.ITIMER_REAL, SECONDS - EARLIER)
    for answer in answers:
        with open(notes or os.devnull, "wb", buffering=0) as file:
            trials, printed = run_cases(exercise, answer, lambda tried: file.write(_packed(tried)))
        outcomes.append((_sendable(trials), printed))
        report(outcomes[-1][0])
        if cu.cuCtxSynchronize()[0] != cu.CUresult.CUDA_SUCCESS:    # a refused call leaves the context whole
            break
    return outcomes


def _children(topic, exercise_id, answers, sources):
    """In the new process: what `run_cases` made of each answer, up to the first that breaks CUDA for its process.

    Over the simulated driver, of each answer: after one that breaks CUDA for its process, or ends it (None is left of
    that), the next go on in another fork of this process, which starts in a tenth of a new one's time. A fork may use
    CUDA, because nothing has initialised it here.
    """
    if len(answers) == 1 or not sandbox.simulated():
        return [trials for trials, _ in _child(topic, exercise_id, answers, sources)]
    import pycuda.driver  # noqa: F401  (before the fork, as what takes time)
    outcomes = []
    while len(outcomes) < len(answers):
        still_open = answers[len(outcomes):]
        outcomes += _forked(topic, exercise_id, still_open, sources) or [None]
    return outcomes


def _forked(topic, exercise_id, answers, sources):
    """What a forked child made of these answers until it ended, however that was."""
    with tempfile.TemporaryFile() as file:
        pid = os.fork()
        if not pid:
            try:
                _child(topic, exercise_id, answers, sources,
                       report=lambda trials: os.write(file.fileno(), _packed(trials)))
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
        file.seek(0)
        return _unpacked(file)


def _packed(tried):
    return returned.pack({"value": _sendable(tried)})


def _unpacked(file):
    """What was packed into a file one after the other."""
    return [packed["value"] for packed in returned.unpack_all(file)]


def _lost(ended, answer, noted):
    """The list of Trial for a process that did not come back. noted: what `run_cases` reported before"""
    cause = ended.error or ended.signal or ended.exception
    if ended.timed_out:
        outcome = CaseOutcome("endless", cause, _line_at_the_end(ended, answer))
    else:
        outcome = CaseOutcome("ended", cause, f"{ended.ending}\n{_explanation(ended)}".strip())
    cases, *tried = noted or [[Trial("your code, run in a process of its own", "", False, None, outcome)]]
    place = min(len(tried), len(cases) - 1)     # it may end behind the last case, too
    return [*tried[:place], replace(cases[place], outcome=outcome), *cases[place + 1:]]


def _line_at_the_end(ended, answer):
    """The line of an answer that faulthandler saw last; "" where it saw none."""
    file = getattr(getattr(answer, "__code__", None), "co_filename", None)
    numbers = re.findall(rf'File "{re.escape(file)}", line (\d+)', ended.explanation) if file else []
    return linecache.getline(file, int(numbers[0])).strip() if numbers else ""


def _explanation(ended):
    """What the simulated driver said of a fault, in words.

    PyCUDA's remarks on what it could not free then are of no use, nor is where an answer was that has ended since.
    """
    lines = STACK.sub("", ended.explanation).splitlines()
    return "\n".join(line for line in lines
                     if not line.startswith("finding: ") and "failed: " not in line and "PyCUDA" not in line)


def _sendable(tried):
    """Attempts, or one, that can leave their process: a value of the learner's own class stays behind."""
    if isinstance(tried, list):
        return [_sendable(trial) for trial in tried]
    value = tried.outcome.value
    if isinstance(value, SENDABLE):
        with contextlib.suppress(Exception):        # its elements may be of such a class
            returned.pack({"value": value})
            return tried
    name = Remark(f"an object of type {type(value).__name__}")
    return replace(tried, outcome=replace(tried.outcome, value=name))
