"""Ask questions in processes of their own, several at once, and survive every way in which a process can end.

Each worker is a fork of this process, which itself never initialises CUDA (a child may use CUDA only if its parent has
not). A worker asks the questions of one subject one after the other, each in a fresh context, and says before each
answer which one it is about to find. Where it dies or hangs, that answer is how it ended, and another worker goes on
after it.

Not here: what the answers should be (recording.py).
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

from . import asking, others
from .careful import NOT_ASKED, NotAsked

PATIENCE = 60    # seconds that one answer may take
GRACE = 5        # seconds in which a process that was killed has to be gone; then nobody waits for it any more


class Job:
    """Questions that may share a process, and what is known of their answers so far."""

    def __init__(self, questions):
        self.waiting = list(questions)
        self.answers = {}             # question name -> {label: answer}
        self.doing = None             # (question name, label) announced last
        self.stopped = False


def ask_all(questions, attach, jobs=2, patience=PATIENCE, progress=None, apart=None):
    """{question name: {label: answer}}. `attach` is called in each worker before its first question, and `progress` with what is
    known, now and then. `apart`: each question has a process of its own; by default where many are asked at once. After Ctrl-C: the
    questions that were answered to their end."""
    apart = jobs > 4 if apart is None else apart
    questions, answers = list(questions), {}
    with contextlib.suppress(KeyboardInterrupt):    # what is known by then is worth keeping
        for quiet, at_once in ((False, jobs), (True, 1)):
            _ask_together(_share([one for one in questions if one.quiet == quiet], apart), answers, attach, at_once, patience, progress)
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
    return {name: given for job in jobs for name, given in job.answers.items() if name not in {one.name for one in job.waiting}}


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
                (waiting.insert(0, job) if job.waiting else answers.update(job.answers))
                if progress:
                    progress(answers | _finished([*waiting, *running.values()]))
        for pipe, job in list(running.items()):
            silent = time.monotonic() - job.heard
            if not job.stopped and silent > patience:
                job.stopped, job.heard = True, time.monotonic()
                _kill(job)
            elif job.stopped and silent > GRACE:    # the driver keeps it, or somebody else has its pipe
                _bury(running.pop(pipe), gone=False)
                (waiting.insert(0, job) if job.waiting else answers.update(job.answers))


def _kill(job):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(job.pid, signal.SIGKILL)


def _share(questions, apart):
    """A job for each question that must be alone, or for all where they are to be asked apart, and one for each subject's others."""
    subjects, alone = {}, []
    for one in questions:
        if one.alone or (apart and not one.subject.startswith("sequences")):
            alone.append(Job([one]))
        else:
            subjects.setdefault(one.subject, []).append(one)
    return alone + sorted((Job(group) for group in subjects.values()), key=lambda job: -len(job.waiting))


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
        others.die_with(parent)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        status = _work(job, attach, lambda message: os.write(writing, json.dumps(message).encode() + b"\n"))
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
            job.waiting = [one for one in job.waiting if one.name != value]
            job.doing = None
    return bool(piece)


def _bury(job, gone=True):
    """A worker has ended, or nobody waits for it any more: if not in good order, that is an answer."""
    os.close(job.pipe)
    _, status = os.waitpid(job.pid, 0 if gone else os.WNOHANG)
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
    found = job.answers.setdefault(question, {})
    if label is None or label in found:    # between two answers: that is the end of this question
        found["(after the last answer)"] = end
        job.waiting = [one for one in job.waiting if one.name != question]
    else:
        found[label] = end


def _work(job, attach, say):
    """In the worker: ask what the job still waits for. Ends early, with status 0, where the process is of no more use."""
    devices = job.waiting[0].devices
    if devices > 1:
        os.environ["CUDA_SIMULATOR_DEVICES"] = str(devices)
    else:
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"    # so that a machine with two answers what a machine with one does
    attach()
    if any(one.others for one in job.waiting):
        others.start_nursery()
    if devices > 1 and _count_devices(not_here=job.waiting[0].needs == asking.NOTHING) < devices:
        for one in job.waiting:
            for message in (["doing", [one.name, NOT_ASKED]], ["answer", "too few devices"], ["done", one.name]):
                say(message)
        return 0
    for one in job.waiting:
        say(["doing", [one.name, None]])
        if not ask_one(one, job.answers.get(one.name, {}), say):
            return 0
        say(["done", one.name])
        if one.needs != asking.NOTHING and not _clean_up():
            return 0
    return 0


def _count_devices(not_here):
    """How many devices there are; `not_here` lets a child count, where CUDA must not be initialised yet."""
    from cuda.bindings import driver as cu
    if not not_here:
        cu.cuInit(0)
        return int(cu.cuDeviceGetCount()[1] or 0)
    pid = os.fork()
    if not pid:
        count = 0
        try:
            cu.cuInit(0)
            count = int(cu.cuDeviceGetCount()[1] or 0)
        finally:
            os._exit(count)
    return os.WEXITSTATUS(os.waitpid(pid, 0)[1])


def ask_one(one, known, say):
    """Prepare what the question needs, then announce and find each answer that is not known yet.

    False if an answer left the context unusable: the question goes on in another process.
    """
    from cuda.bindings import driver as cu

    from .calls import must, new_context
    try:
        if one.needs != asking.NOTHING:
            must(cu.cuInit(0))
        if one.needs == asking.CONTEXT:
            new_context()
        for label, answer in asking.pairs(one.function()):
            if label in known:
                continue
            say(["doing", [one.name, label]])
            to_find = callable(answer)
            say(["answer", _found(answer) if to_find else answer])
            if to_find and _poisoned(one):
                return False
    except NotAsked as why:
        say(["doing", [one.name, NOT_ASKED]])
        say(["answer", str(why)])
    except Exception as error:
        say(["doing", [one.name, "(question)"]])
        say(["answer", f"raised {type(error).__name__}: {error}"])
    finally:
        others.end_all()
    return True


def _poisoned(one):
    """Does the driver answer every call with the error of an earlier kernel, or is the question's context gone?"""
    if one.needs == asking.NOTHING:
        return False
    from cuda.bindings import driver as cu

    from . import kernels
    if one.needs == asking.CONTEXT and not int(cu.cuCtxGetCurrent()[1] or 0):
        return True
    if 700 <= int(cu.cuCtxSynchronize()[0]) < 720 or 700 <= int(cu.cuMemGetInfo()[0]) < 720:
        return True
    return one.devices > 1 and any(map(_broken, kernels.contexts()))


def _broken(context):
    from cuda.bindings import driver as cu
    cu.cuCtxPushCurrent(context)
    code = int(cu.cuCtxSynchronize()[0])
    cu.cuCtxPopCurrent()
    return 700 <= code < 720


def _found(answer):
    try:
        return answer()
    except NotAsked as why:
        return f"{NOT_ASKED} {why}"
    except Exception as error:
        return f"raised {type(error).__name__}: {error}"


def _clean_up():
    """Destroy every context on this thread's stack; False if the driver no longer works."""
    from cuda.bindings import driver as cu

    from . import kernels
    kernels.forget()
    for _ in range(20):
        error, context = cu.cuCtxGetCurrent()
        if int(error):
            return False
        if not int(context):
            return True
        if int(cu.cuCtxSynchronize()[0]) or int(cu.cuCtxDestroy(context)[0]):
            return False
    return False
