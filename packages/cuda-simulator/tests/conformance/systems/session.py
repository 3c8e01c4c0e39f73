"""Ask a system everything, keep what is known at any moment, and go on where an earlier session was stopped.

Not here: what becomes of the answers (report.py).
"""
import ctypes
import dataclasses
import os
import sys
import time

from .. import careful, cuda12, drivers, recording, workers
from ..helpers import kernels
from . import files, machine

OFTEN = 5       # seconds between two savings
PATIENCE = 20   # seconds that one answer may take
# Answers after which a process is of no more use, so that the next answer needs another.
LAST_WORDS = {*recording.CRASHES, "SIGFPE", "ILLEGAL_ADDRESS", "ASSERT", "LAUNCH_FAILED", "ILLEGAL_INSTRUCTION",
              "MISALIGNED_ADDRESS", "no answer"}
COSTLY = 3      # processes


def prepare(attach, simulated):
    """The header for this machine, after this process and its children were made ready to ask."""
    head = machine.header(attach)
    if float(head["compute capability"]) < 9:     # it does not take what the recordings' kernels are compiled for
        kernels.architecture = f"compute_{head['compute capability'].replace('.', '')}"
    if not simulated:
        careful.hold_back()
    return head


def open_file(folder, output, head):
    """The file to go on with, and what it has: (path, header, answers).

    output: its path; None for the newest in the folder that this system has not answered to its end, or else today's
    Raises ValueError where a file cannot be written, is damaged, or has another system's answers.
    """
    there_are = sorted(folder.glob(f"{files.stem(head)}-*.json"), reverse=True)
    path = output or next((file for file in there_are if lacks_some(file, head)), folder / files.name(head))
    if not os.access(path.parent, os.W_OK):
        raise ValueError(f"{path.parent} is no folder that can be written to; `--output` names a file elsewhere")
    if not path.exists():
        return path, head, {}
    earlier, answers = files.load(path)
    if not same_system(earlier, head):
        raise ValueError(f"{path} has the answers of another system, {recording.titled(earlier)}; give another name "
                         "with `--output`")
    return path, earlier, answers


def lacks_some(path, head):
    """Is this a file of the same system, with questions left?"""
    try:
        earlier, answers = files.load(path)
    except ValueError:
        return False
    return same_system(earlier, head) and bool(missing(answers))


def same_system(earlier, head):
    """Did the same system give both?"""
    return all(earlier.get(field) == head[field] for field in files.SAME)


def missing(answers):
    return files.QUESTIONS.keys() - answers.keys()


def ask(questions, attach, path, head, known_answers, jobs, patience):
    """{question name: answers}, known ones and those found now; the file has them, too, at any moment."""
    began, spent, saved, earlier = time.monotonic(), head.get("seconds", 0), 0, dict(known_answers)

    def keep(answers, finished=False):
        nonlocal saved
        if finished or time.monotonic() - saved > OFTEN:
            saved = time.monotonic()
            files.save(path, {**head, "seconds": spent + round(saved - began)}, earlier | answers)
        if sys.stderr.isatty():
            print(f"\r{len(answers)} of {len(questions)} questions ", end="", file=sys.stderr)

    left_out = cuda12.LEFT_OUT if cuda12.HERE else {}
    earlier |= {question.name: {careful.NOT_ASKED: left_out[question.name]} for question in questions if question.name in left_out}
    to_ask = in_order([question for question in questions if question.name not in left_out])
    answers = workers.ask_all(to_ask, attach, jobs, patience, keep, apart=False)
    keep(answers, finished=True)
    return earlier | answers


def in_order(questions):
    """First those that cost many processes, each by itself: else one of them would be all that is left at the end."""
    recorded = recording.load()[1]

    def cost(question):
        return sum(str(answer) in LAST_WORDS for answer in recorded.get(question.name, {}).values())
    return [dataclasses.replace(question, alone=question.alone or cost(question) > COSTLY)
            for question in sorted(questions, key=cost, reverse=True)]


def attachment(path):
    """What a worker does before its first question: it attaches the driver at `path`, or the simulated one for None.

    Kernels print, and drivers speak of faults: a worker's own output goes nowhere.
    """
    if not path:
        drivers.ready(drivers.simulated)

    def attach():
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        if path:
            ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)      # cuda.bindings and PyCUDA find it by its name then
        else:
            drivers.simulated()
    return attach
