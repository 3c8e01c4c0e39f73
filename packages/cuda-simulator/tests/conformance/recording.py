"""Answers on disk, and what counts as alike.

A recording is JSON: a header (device, driver, CUDA version, date) and for each question its title and its answers.
Two answers are alike if they are equal, or if the GPU's driver crashed and the other one answers an error. Answers that
are excused (see DriverQuestion.varies and DriverQuestion.stricter) are shown and not compared.

Not here: finding answers (workers.py).
"""
import dataclasses
import datetime
import json
import platform
from pathlib import Path

from cuda.bindings import driver as cu

from .careful import NOT_ASKED

FOLDER = Path(__file__).with_name("recorded")
H200 = FOLDER / "h200.json"


@dataclasses.dataclass
class Difference:
    question: object
    label: str
    recorded: object
    answered: object

    def __str__(self):
        return (f"{self.question.name}{': ' + self.label if self.label else ''}\n    ({self.question.title})\n"
                f"    recorded: {shown(self.recorded)}\n    answered: {shown(self.answered)}")


def shown(answer):
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return text if len(text) < 400 else text[:400] + " ..."


ERRORS = {code.name.replace("CUDA_ERROR_", "") for code in cu.CUresult} - {"CUDA_SUCCESS"}
NOT_ANSWERED = "(not answered)"
QUESTION_FAILED, PROCESS_ENDED = "(question)", "(after the last answer)"    # labels that workers.py notes an end by


def compare(question, recorded, answered, excuses=("varies", "stricter")):
    """(number of answers compared, [Difference]). `excuses`: the notes of a question that keep an answer out of it."""
    compared, differences = 0, []
    for label in [*recorded, *(label for label in answered if label not in recorded)]:
        if question.open_labels and not (label in recorded and label in answered):
            continue
        if label not in recorded:    # not recorded yet: nothing to compare with
            continue
        if left_out(recorded, label) or left_out(answered, label):
            continue
        if any(question.excused(label, getattr(question, excuse)) for excuse in excuses):
            continue
        compared += 1
        was, now = recorded.get(label, NOT_ANSWERED), answered.get(label, not_answered(answered))
        if not alike(was, now):
            differences.append(Difference(question, label, was, now))
    return compared, differences


def left_out(answers, label):
    """Was this not asked, because the machine has too few devices, or too little memory?"""
    return str(answers.get(label, NOT_ASKED if NOT_ASKED in answers else "")).startswith(NOT_ASKED)


def not_answered(answered):
    """Why a question has no answer of some label: what the suite noted of the end of its process, if anything."""
    ends = [end for label, end in answered.items() if label in (QUESTION_FAILED, PROCESS_ENDED)]
    return f"(not answered: {ends[0]})" if ends else NOT_ANSWERED


# How a process ends where a GPU's driver follows a bad pointer of its caller's.
CRASHES = ("SIGSEGV", "SIGABRT", "SIGBUS")


def alike(recorded, answered):
    """Equal; or the GPU's driver crashed where the other one answers with an error."""
    if recorded in CRASHES and isinstance(answered, str) and answered != "SUCCESS":
        return answered in CRASHES or answered in ERRORS or answered.startswith("cudaError")
    return recorded == answered


def titled(head):
    return f"{head['device']} (driver {head['driver']}, CUDA {head['cuda']}, {head['date']})"


def header(describe):
    return {"recorded with": "python -m tests.conformance record", "date": datetime.date.today().isoformat(),
            "python": platform.python_version(), **describe}


def save(path, head, questions, answers):
    """One answer a line, so that a change of one is a change of one line."""
    lines = [f'{{"header": {json.dumps(head)},', '"answers": {']
    names = [name for name in questions if name in answers]
    for name in names:
        lines.append(f' {json.dumps(name)}: {{')
        entries = [f'  {json.dumps(label)}: {json.dumps(answer)}' for label, answer in answers[name].items()]
        lines += [",\n".join(entries), " }" + ("," if name != names[-1] else "")]
    lines.append("}}")
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(line for line in lines if line) + "\n")


def load(path=H200):
    recording = json.loads(Path(path).read_text())
    return recording["header"], recording["answers"]
