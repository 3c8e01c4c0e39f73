"""What `ask` prints: what was asked, and where this system answers otherwise than the recorded H200.

Not here: the comparison (comparing.py).
"""
import collections

from .. import careful, known, recording
from ..asking import QUESTIONS
from . import topics

MOST = 4     # answers of one question that are printed; the file has all


def quantity(number, noun):
    """Such as "1 question" and "2 questions"."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def heading(head, answers):
    """One line about what the file has."""
    answered_questions = {name: by_label for name, by_label in answers.items() if careful.NOT_ASKED not in by_label}
    answered = quantity(sum(map(len, answered_questions.values())), "answer")
    return f"{recording.titled(head)}: {quantity(len(answered_questions), 'question')}, {answered}."


def not_asked(answers):
    """Why questions were not asked, and how many: lines."""
    why = collections.Counter(by_label[careful.NOT_ASKED] for by_label in answers.values() if careful.NOT_ASKED in by_label)
    every = [answer for by_label in answers.values() for answer in by_label.values()]
    partly = sum(str(answer).startswith(f"{careful.NOT_ASKED} ") for answer in every)
    lines = [f"Not asked, or not to the end: {quantity(count, 'question')}: {reason}." for reason, count in why.most_common()]
    return lines + [f"Left out of other questions: {quantity(partly, 'answer')}."] * bool(partly)


def comparison(compared, reference, simulated=False):
    """The comparison with a reference, whose header is given: lines."""
    by_question = collections.defaultdict(list)
    for difference in compared.differences:
        by_question[difference.question.name].append(difference)
    for name, differing in by_question.items():
        yield from _of_question(QUESTIONS[name], differing, reference["device"], simulated)
    yield (f"Compared with {recording.titled(reference)}: {quantity(compared.count, 'answer')}, "
           f"{compared.count - len(compared.differences):,} alike, {len(compared.differences):,} different.")
    if simulated and compared.differences:
        unknown = sum(known.reason(difference) is None for difference in compared.differences)
        yield f"For {unknown} of these no reason is known (tests/conformance/known.py)."
    if compared.unshared or compared.varying:
        yield (f"Not compared: {compared.unshared:,} that the other was not asked, {compared.varying:,} that vary from "
               "run to run or by the device's size.")


def _of_question(question, differing, device, simulated):
    yield f"{question.name}: {question.title}"
    answered = [difference for difference in differing if not str(difference.answered).startswith(recording.NOT_ANSWERED[:-1])]
    if missing := [difference for difference in differing if difference not in answered]:
        yield f"    here {len(missing)} of its answers are missing: {missing[0].answered}"
    for difference in answered[:MOST]:
        yield f"    {topics.in_words(question, difference.label) or 'answer'}"
        yield f"        {device}: {recording.shown(difference.recorded)}"
        yield f"        here: {recording.shown(difference.answered)}"
        if simulated:
            yield f"        known: {known.reason(difference) or 'no'}"
    if len(answered) > MOST:
        yield f"    and {len(answered) - MOST} more of its answers"
    for part in dict.fromkeys(topics.rest(question, difference.label) for difference in differing):
        yield f"    {part.topic}: {part.says or question.title}."
    yield ""
