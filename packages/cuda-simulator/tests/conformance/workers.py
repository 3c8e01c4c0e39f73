"""Ask questions in processes of their own, several at once, and survive every way in which a process can end.

Each worker is a fork of this process, which itself never initialises CUDA (a child may use CUDA only if its parent has
not). A worker asks the questions of one subject one after the other, each in a fresh context, and says before each
answer which one it is about to find. Where it dies or hangs, that answer is how it ended, and another worker goes on
after it.

Not here: what a worker does (answering.py), what the answers should be (recording.py).
"""
import contextlib
import faulthandler
import json
import os
import resource
import select
import signal
import sys
import time

from . import answering
from .helpers import processes

PATIENCE = 60    # seconds that one answer may take
GRACE = 5        # seconds in which a process that was killed has to be gone; then nobody waits for it any more


class QuestionBatch:
    """Questions that may share a process, and what is known of their answers so far."""

    def __init__(self, questions):
        self.waiting = list(questions)
        self.answers = {}             # question name -> {label: answer}
        self.doing = None             # (question name, label) announced last
        self.stopped = False


def ask_all(questions, attach, jobs=2, patience=PATIENCE, progress=None, apart=None):
    """{question name: {label: answer}}; after Ctrl-C, of the questions that were answered to their end.

    `attach` is called in each worker before its first question, and `progress` with what is known, now and then. `apart`:
    each question has a process of its own, by default where many are asked at once.
    """
    apart = jobs > 4 if apart is None else apart
    questions, answers = list(questions), {}
    with contextlib.suppress(KeyboardInterrupt):    # what is known by then is worth keeping
        for quiet, at_once in ((False, jobs), (True, 1)):
            waiting = _share([question for question in questions if question.quiet == quiet], apart)
            _ask_together(waiting, answers, attach, at_once, patience, progress)
    return answers


def _ask_together(waiting, answers, attach, jobs, patience, progress):
    running = {}
    try:
        _ask_until_done(waiting, running, answers, attach, jobs, patience, progress)
    except KeyboardInterrupt:
        for job in running.values():
            _kill(job)
        answers.update(_finished([*waiting, *running.values()]))
        raise


def _finished(jobs):
    """The answers to the questions that nobody has to go on with."""
    return {name: by_label for job in jobs for name, by_label in job.answers.items()
            if name not in [question.name for question in job.waiting]}


def _ask_until_done(waiting, running, answers, attach, jobs, patience, progress):
    while waiting or running:
        while waiting and len(running) < jobs:
            job = waiting.pop(0)
            job.pid, job.pipe = _fork(job, attach)
            job.buffer, job.heard, job.doing = b"", time.monotonic(), None
            running[job.pipe] = job
        ready, _, _ = select.select(list(running), [], [], 0.5)
        for pipe in ready:
            if not _hear(running[pipe]):
                job = running.pop(pipe)
                _bury(job)
                _go_on(job, waiting, answers)
                if progress:
                    progress(answers | _finished([*waiting, *running.values()]))
        for pipe, job in list(running.items()):
            silent = time.monotonic() - job.heard
            if not job.stopped and silent > patience:
                job.stopped, job.heard = True, time.monotonic()
                _kill(job)
            elif job.stopped and silent > GRACE:    # the driver keeps it, or somebody else has its pipe
                _bury(running.pop(pipe), has_ended=False)
                _go_on(job, waiting, answers)


def _go_on(job, waiting, answers):
    """A worker has ended: what is left of its job waits behind the others, so that a question of many ends holds up none."""
    if job.waiting:
        waiting.append(job)
    else:
        answers.update(job.answers)


def _kill(job):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(job.pid, signal.SIGKILL)


def _share(questions, apart):
    """A job for each question that must be alone, or for all where they are to be asked apart, and one for each subject's others."""
    subjects, alone = {}, []
    for question in questions:
        if question.alone or (apart and not question.subject.startswith("sequences")):
            alone.append(QuestionBatch([question]))
        else:
            subjects.setdefault(question.subject, []).append(question)
    return alone + sorted((QuestionBatch(group) for group in subjects.values()), key=lambda job: -len(job.waiting))


def _fork(job, attach):
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    status = 1
    faulthandler.disable()    # a crash is an answer here, not news
    try:
        os.close(reading)
        os.setsid()    # so that what it forks ends with it
        processes.die_with(parent)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        status = answering.work(job.waiting, job.answers, attach, lambda *messages: os.write(
            writing, b"".join(json.dumps(message).encode() + b"\n" for message in messages)))
    except BaseException as error:    # a defect of the suite: let the parent record it where it happened
        os.write(writing, json.dumps(["answer", f"raised {type(error).__name__}: {error}"]).encode() + b"\n")
    finally:
        os._exit(status)


def _hear(job):
    """Take in what a worker has written; False at its end."""
    piece = os.read(job.pipe, 1 << 16)
    *lines, job.buffer = (job.buffer + piece).split(b"\n")
    for line in lines:
        job.heard = time.monotonic()
        verb, value = json.loads(line)
        if verb == "doing":
            job.doing = tuple(value)
        elif verb == "answer" and job.doing:
            job.answers.setdefault(job.doing[0], {})[job.doing[1]] = value
            job.doing = (job.doing[0], None)
        elif verb == "done":
            job.answers.setdefault(value, {})
            job.waiting = [question for question in job.waiting if question.name != value]
            job.doing = None
    return bool(piece)


def _bury(job, has_ended=True):
    """A worker has ended, or nobody waits for it any more: if not in good order, that is an answer."""
    os.close(job.pipe)
    _, status = os.waitpid(job.pid, 0 if has_ended else os.WNOHANG)
    if not job.waiting or (status == 0 and not job.stopped):
        return
    if job.stopped:
        end = "no answer"
    elif os.WIFSIGNALED(status):
        end = signal.Signals(os.WTERMSIG(status)).name
    else:
        end = f"exit status {os.WEXITSTATUS(status)}"
    job.stopped = False
    question, label = job.doing or (job.waiting[0].name, None)
    by_label = job.answers.setdefault(question, {})
    if label is None or label in by_label:    # between two answers: that is the end of this question
        by_label["(after the last answer)"] = end
        job.waiting = [waiting for waiting in job.waiting if waiting.name != question]
    else:
        by_label[label] = end
