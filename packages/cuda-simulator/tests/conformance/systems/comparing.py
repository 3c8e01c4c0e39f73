"""Where systems answer otherwise: two of them, or all beside each other.

A crash is like any error, on either side: both follow a wrong handle. What is marked `varies` differs from run to run
or by the allocator's choice, and says nothing of a system. Not here: how it is told (report.py, page.py).
"""
import dataclasses
import itertools

from .. import recording
from ..asking import QUESTIONS
from ..careful import NOT_ASKED

ENDS = (recording.QUESTION_FAILED, recording.PROCESS_ENDED)
NONE = "-"      # where a system has no answer of this label
HOW_IT_ENDED = "how the question ended"


@dataclasses.dataclass
class Comparison:
    """A system beside a reference. `unshared`: answers that the reference lacks; `varying`: those that vary anyway."""

    count: int = 0
    differences: list = dataclasses.field(default_factory=list)
    unshared: int = 0
    varying: int = 0


def compare(ours, theirs, simulated=False):
    """The comparison of two {question: answers}. What the simulated driver reports on purpose is excused in its own."""
    result = Comparison()
    for name, their_answers in theirs.items():
        question, our_answers = QUESTIONS.get(name), ours.get(name, {})
        if question is None:    # asked by another version of the suite
            continue
        labels = [label for label in their_answers if label not in ENDS and not recording.left_out(their_answers, label)]
        result.varying += sum(bool(question.excused(label, question.varies)) for label in labels)
        result.unshared += sum(label not in our_answers for label in labels)
        if our_answers:
            count, differing = recording.compare(question, our_answers, their_answers, ("varies", "stricter") if simulated else ("varies",))
            result.count += count
            result.differences += [difference for difference in differing
                                   if simulated or not alike(difference.recorded, difference.answered)]
    return result


def alike(*answers):
    """Are these the same as far as systems go?"""
    return all(
        recording.alike(first, second) or recording.alike(second, first) for first, second in itertools.combinations(answers, 2)
    )


def beside(systems):
    """[(question, [(label, [an answer of each])])]: where any two of these {question: answers} differ."""
    differing = []
    for name, question in QUESTIONS.items():
        answers_of_each = [answers.get(name, {NOT_ASKED: ""}) for answers in systems]
        labels = [
            label
            for label in dict.fromkeys(itertools.chain(*answers_of_each))
            if label not in ENDS and not question.excused(label, question.varies)
        ]
        rows = [
            (label, [NONE if recording.left_out(answers, label) else answers.get(label, NONE) for answers in answers_of_each])
            for label in labels
        ]
        rows.append((HOW_IT_ENDED, [NONE if NOT_ASKED in answers else end(answers) for answers in answers_of_each]))
        rows = [(label, values) for label, values in rows if not alike(*(value for value in values if value != NONE))]
        if rows:
            differing.append((question, rows))
    return differing


def end(answers):
    """How a question ended: in good order, or by what."""
    return next((str(answers[label]) for label in ENDS if label in answers), "in good order")
