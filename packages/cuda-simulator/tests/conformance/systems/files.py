"""A system's answers as a file: one JSON object, an answer a line, named after GPU, driver and day.

The H200's answers, which the simulated driver is held to, have the same form (../recorded/h200.json) and fewer fields.
Not here: what is asked (session.py), what differs (comparing.py).
"""
import os
import re
from pathlib import Path

from .. import recording
from ..asking import QUESTIONS

FOLDER = recording.FOLDER / "systems"
TEXTS = ("asked with", "date", "device", "driver", "cuda", "compute capability", "system", "processor", "python",
         "cuda-bindings", "nvrtc")
NUMBERS = ("schema", "memory", "devices", "host memory", "seconds", "questions")
FIELDS = {**dict.fromkeys(TEXTS, str), **dict.fromkeys(NUMBERS, int)}
# What answers of one file have in common.
SAME = ("device", "driver", "cuda", "devices", "system", "cuda-bindings", "nvrtc")


def stem(head):
    """What the names of all files of a GPU and driver begin with."""
    return re.sub("[^a-z0-9]+", "-", f"{head['device']} {head['driver']}".lower()).strip("-")


def name(head):
    return f"{stem(head)}-{head['date']}.json"


def load(path):
    """(header, answers). Raises ValueError, with the file named, for what `save` does not write."""
    try:
        head, answers = recording.load(path)
        if not isinstance(head, dict) or not all(isinstance(by_label, dict) for by_label in answers.values()):
            raise TypeError
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{path}: this is no file of `python -m tests.conformance.systems ask`, or it is damaged") from None
    return head, answers


def save(path, head, answers):
    """Write a file at once or not at all, so that none is half a file."""
    draft = Path(path).with_suffix(f".{os.getpid()}")
    answers = {name: by_label for name, by_label in answers.items() if name in QUESTIONS}
    recording.save(draft, {**head, "questions": len(answers)}, QUESTIONS, answers)
    draft.replace(path)


def systems(folder=FOLDER):
    """[(header, answers)]: of the H200 that the simulated driver is held to, then of every file of the folder, by
    device and date."""
    contributed = [load(path) for path in sorted(folder.glob("*.json"))]
    return [recording.load(), *sorted(contributed, key=lambda system: (system[0]["device"], system[0]["date"]))]


def faults(path, head, answers):
    """Why a file is none to contribute: a list of sentences, empty for a good one."""
    sentences = [f"the header has no {field}" for field in FIELDS if field not in head]
    sentences += [f"the header's {field} is no {kind.__name__}" for field, kind in FIELDS.items()
                  if not isinstance(head.get(field, kind()), kind)]
    sentences += [f"the header has a field {field}, which nobody reads" for field in head.keys() - FIELDS.keys()]
    if sentences:
        return sentences
    if Path(path).name != name(head):
        sentences.append(f"a file of this GPU, driver and day is called {name(head)}")
    if "simulated" in head["device"]:
        sentences.append("these are the simulated driver's answers")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", head["date"]) or not re.fullmatch(r"\d+(\.\d+)+", head["driver"]):
        sentences.append("the date or the driver's version is none")
    if head["questions"] != len(answers):
        sentences.append(f"it says that {head['questions']} questions were asked, and {len(answers)} were")
    if strays := [f"{question}: {label}" for question, by_label in answers.items() for label, answer in by_label.items()
                  if is_compared(question, label) and any(map(is_address, numbers(answer)))]:
        sentences.append(f"there are addresses in it: {', '.join(strays[:5])}")
    return sentences


def is_compared(question, label):
    question_ = QUESTIONS.get(question)
    return question_ is not None and not question_.excused(label, question_.varies)


def is_address(number):
    return 0x7000_0000_0000 <= number < 1 << 47


def numbers(answer):
    """Every whole number in an answer."""
    if isinstance(answer, (list, dict)):
        return [number for element in (answer.values() if isinstance(answer, dict) else answer) for number in numbers(element)]
    return [answer] if isinstance(answer, int) else []
