"""In a worker: what is there before a question, the question itself, and what is left of the process after it.

Not here: how a worker is started, heard and ended (workers.py).
"""
import os

from . import asking
from .careful import NOT_ASKED, NotAsked
from .helpers import processes


def work(questions, known_answers, attach, say):
    """Ask these, but for the answers that are known; returns the process's exit status. Ends early, with status 0,
    where the process is of no more use. `say` tells the parent messages, those of one call together."""
    devices = questions[0].devices
    if devices > 1:
        os.environ["CUDA_SIMULATOR_DEVICES"] = str(devices)
    else:
        # One device, so that a machine with two answers what a machine with one does: the first that is visible.
        os.environ["CUDA_VISIBLE_DEVICES"] = os.environ.get("CUDA_VISIBLE_DEVICES", "").partition(",")[0] or "0"
    attach()
    if any(question.processes for question in questions):
        processes.start_nursery()
    if devices > 1 and _count_devices(not_here=questions[0].needs == asking.NOTHING) < devices:
        for question in questions:
            say(["doing", [question.name, NOT_ASKED]], ["answer", "too few devices"], ["done", question.name])
        return 0
    for question in questions:
        say(["doing", [question.name, None]])
        if not ask_one(question, known_answers.get(question.name, {}), say):
            return 0
        say(["done", question.name])
        if question.needs != asking.NOTHING and not _clean_up():
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


def ask_one(question, known_answers, say):
    """Prepare what the question needs, then announce and find each answer that is not known yet.

    False if an answer left the context unusable: the question goes on in another process.
    """
    from cuda.bindings import driver as cu

    from .helpers.calls import must, new_context
    try:
        if question.needs != asking.NOTHING:
            must(cu.cuInit(0))
        if question.needs == asking.CONTEXT:
            new_context()
        for label, answer in asking.pairs(question.function()):
            if label in known_answers:
                continue
            doing = ["doing", [question.name, label]]
            if not callable(answer):
                say(doing, ["answer", answer])
                continue
            say(doing)
            say(["answer", _call_answer(answer)])
            if _is_poisoned(question):
                return False
    except NotAsked as why:
        say(["doing", [question.name, NOT_ASKED]], ["answer", str(why)])
    except Exception as error:
        say(["doing", [question.name, "(question)"]], ["answer", f"raised {type(error).__name__}: {error}"])
    finally:
        processes.end_all()
    return True


def _is_poisoned(question):
    """Does the driver answer every call with the error of an earlier kernel, or is the question's context gone?"""
    if question.needs == asking.NOTHING:
        return False
    from cuda.bindings import driver as cu

    from .helpers import kernels
    if question.needs == asking.CONTEXT and not int(cu.cuCtxGetCurrent()[1] or 0):
        return True
    if 700 <= int(cu.cuCtxSynchronize()[0]) < 720 or 700 <= int(cu.cuMemGetInfo()[0]) < 720:
        return True
    return question.devices > 1 and any(map(_is_broken, kernels.contexts()))


def _is_broken(context):
    from cuda.bindings import driver as cu
    cu.cuCtxPushCurrent(context)
    code = int(cu.cuCtxSynchronize()[0])
    cu.cuCtxPopCurrent()
    return 700 <= code < 720


def _call_answer(answer):
    try:
        return answer()
    except NotAsked as why:
        return f"{NOT_ASKED} {why}"
    except Exception as error:
        return f"raised {type(error).__name__}: {error}"


def _clean_up():
    """Destroy every context on this thread's stack; False if the driver no longer works."""
    from cuda.bindings import driver as cu

    from .helpers import kernels
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
