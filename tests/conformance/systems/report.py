"""What `ask` prints: what was asked, and where this system answers otherwise than the recorded H200.

Not here: the comparison (comparing.py).
"""
import collections

from .. import known, recording, workers
from ..asking import QUESTIONS
from . import files, lessons

MOST = 4     # answers of one question that are printed; the file has all


def heading(head, answers):
    """One line about what the file has."""
    asked = {name: given for name, given in answers.items() if workers.NOT_ASKED not in given}
    return (f"{files.name(head)}: {recording.titled(head)}; {len(asked)} questions, "
            f"{sum(map(len, asked.values()))} answers")


def not_asked(answers):
    """Why questions were not asked, and how many: lines."""
    why = collections.Counter(given[workers.NOT_ASKED] for given in answers.values() if workers.NOT_ASKED in given)
    partly = sum(str(answer).startswith(f"{workers.NOT_ASKED} ") for given in answers.values() for answer in given.values())
    lines = [f"{count} questions were not asked, or not to their end: {reason}" for reason, count in why.most_common()]
    return lines + [f"{partly} answers of other questions were left out in the same way"] * bool(partly)


def told(compared, reference, simulated=False):
    """The comparison with a reference, whose header is given: lines."""
    by_question = collections.defaultdict(list)
    for one in compared.differences:
        by_question[one.question.name].append(one)
    for name, differing in by_question.items():
        yield from _of_question(QUESTIONS[name], differing, reference["device"], simulated)
    yield (f"{compared.count} answers were compared with those of {recording.titled(reference)}: "
           f"{compared.count - len(compared.differences)} are alike, {len(compared.differences)} differ.")
    if simulated:
        yield f"For {sum(known.reason(one) is None for one in compared.differences)} of them no reason is known (tests/conformance/known.py)."
    if compared.unshared:
        yield f"{compared.unshared} answers are to questions that the other was not asked."
    if compared.varying:
        yield f"{compared.varying} answers are not compared, since they vary from run to run or by the device's size."


def _of_question(question, differing, device, simulated):
    yield f"{question.name}: {question.title}"
    for one in differing[:MOST]:
        yield f"    {lessons.told(question, one.label) or 'answer'}"
        yield f"        {device}: {recording.shown(one.recorded)}"
        yield f"        here: {recording.shown(one.answered)}"
        if simulated:
            yield f"        known: {known.reason(one) or 'no'}"
    if len(differing) > MOST:
        yield f"    and {len(differing) - MOST} more of its answers"
    for found in dict.fromkeys(lessons.rest(question, one.label) for one in differing):
        if found:
            yield f"    Lesson {found.notebook} rests on it: {found.says or question.title}."
        else:
            yield "    No lesson rests on it."
    yield ""
