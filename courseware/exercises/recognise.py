"""Tell which listed mistake an answer makes, through whatever guards and style stand around it.

A mistake and the truth differ in some cases only, the telling ones, and a learner who makes the mistake may do better
in a few of them (by a guard) or worse elsewhere (by a second mistake). So a mistake is named if it explains the first
case that is wrong, and more of the wrong cases than it leaves unexplained; of several, the one that explains the most.

Naming a mistake that was not made is worse than naming none. Where all that agrees are outcomes that come of many
mistakes (None, True, a word, an exception), more has to agree.

Not here: what a case comes to (trials.py), and what is said where no mistake is recognised (reasons.py).
"""
import re

from .reading import shows, source_of
from .values import Remark, alike, same

FEW = 10    # a number below this comes of many mistakes


def recognise(exercise, answer, trials, mistake_trials):
    """The Mistake that explains an answer; None if no listed one does.

    trials:         a list of Trial, some of them wrong
    mistake_trials: for each of the exercise's mistakes, the lists of Trial that it comes to: one for each way to make
                    it
    """
    best, best_score = None, None
    wrong = simplest_wrong(trials)
    kind = exercise.answer_kind
    causes = kind.causes(exercise, answer, wrong)
    for mistake, ways in zip(exercise.mistakes, mistake_trials):
        if not possible(mistake, answer):
            continue
        for code, theirs in zip(mistake.ways, ways):
            score = _score(trials, theirs, wrong, kind.told_by_one_case)
            if score is None or constant(trials) and not constant(theirs):
                continue
            their_causes = kind.causes(exercise, code, wrong)
            if not their_causes <= causes or bool(their_causes) != bool(causes):
                continue
            score = (*score, len(their_causes))
            if best is None or score > best_score:
                best, best_score = mistake, score
    return best


def proves(exercise, answer, trials, mistake_trials, mistake):
    """Does what came of an answer single a mistake out?

    All that is wrong goes wrong as it does, nothing goes right that it gets wrong, and no other listed mistake comes to
    the same. Or the check saw what the answer did, and no other comes to that.
    """
    wrong = simplest_wrong(trials)
    if exercise.answer_kind.told_by_one_case or exercise.answer_kind.causes(exercise, answer, wrong):
        return True     # what was chosen, or what leads to it, was seen

    def fitting(fits):
        return [candidate for candidate, ways in zip(exercise.mistakes, mistake_trials)
                if possible(candidate, answer) and any(map(fits, ways))]

    def same_everywhere(theirs):
        return len(trials) == len(theirs) and all(
            trial.right and listed.right or _agrees(trial, listed) for trial, listed in zip(trials, theirs))

    def seen_too(theirs):
        return any(_agrees(wrong, listed) for listed in theirs)

    if fitting(same_everywhere) == [mistake]:
        return True
    return isinstance(wrong.outcome.value, Remark) and fitting(seen_too) == [mistake]


def simplest_wrong(trials):
    """The wrong Trial to show; None without one.

    What ended the process comes first, then an example of the statement before other data, and the shortest random data
    last.
    """
    def order(trial):
        return trial.outcome.how != "ended", trial.hidden, trial.random and len(trial.call)
    wrong = (trial for trial in trials if not trial.right and trial.outcome.how != "untried")
    return min(wrong, default=None, key=order)


def possible(mistake, answer):
    """May the mistake be in an answer? Not where the source is known, and has nothing of what the mistake is about."""
    return not source_of(answer) or shows(answer, mistake.seen)


def constant(trials):
    """Does an answer come to the same whatever it is asked? Then it agrees with much, and by accident."""
    if len(trials) <= 2 or any(trial.outcome.how != "value" for trial in trials):
        return False
    return all(same(trial.outcome.value, trials[0].outcome.value) for trial in trials[1:])


def _score(trials, theirs, wrong, told_by_one_case):
    """How well a mistake explains an answer, to be compared; None where it does not."""
    pairs = [(trial, listed) for trial, listed in zip(trials, theirs)
             if "untried" not in (trial.outcome.how, listed.outcome.how)]
    if not any(trial is wrong and _agrees(trial, listed) for trial, listed in pairs):
        return None
    if told_by_one_case:
        return 0, 0
    agreed = [trial for trial, listed in pairs if _agrees(trial, listed)]
    against = sum(not trial.right and not _agrees(trial, listed) for trial, listed in pairs)
    missing = sum(trial.right and not listed.right for trial, listed in pairs)
    if any(telling(trial) for trial in agreed):
        explains = against <= len(agreed) and missing <= 2 * len(agreed)
    else:
        explains = 4 * against <= len(agreed) and 2 * missing <= len(agreed)
    return (len(agreed) - against, -missing) if explains else None


def _agrees(trial, listed):
    """Both wrong, and in the same way."""
    if trial.right or listed.right or trial.description != listed.description:
        return False
    if trial.outcome.how != listed.outcome.how:
        return False
    if trial.outcome.how == "raised":
        return trial.outcome.value == listed.outcome.value and _complaint(trial) == _complaint(listed)
    return alike(trial.outcome.value, listed.outcome.value)


def _complaint(trial):
    """What an exception of Python's is about: two TypeErrors may have nothing to do with each other."""
    if trial.outcome.value not in ("TypeError", "AttributeError", "ValueError"):
        return ""
    message = f"{trial.outcome.text}\n".splitlines()[0]
    return "None" if "NoneType" in message else re.sub(r"\d+|`.*`", "", message)


def telling(trial):
    """Is this outcome one that hardly comes about in another way?"""
    value = trial.outcome.value
    if trial.outcome.how != "value" or value is None or isinstance(value, bool):
        return False
    if isinstance(value, str):
        return len(value) > 2 * FEW
    if isinstance(value, (int, float)):
        return abs(value) >= FEW
    try:
        return len(value) > 0
    except TypeError:
        return False
