"""Judge the attempts, and count: what the table of `python -m tests.exercises.attempts` and the tests are made of."""
import pickle
import random
from dataclasses import dataclass

from courseware.exercises import trials as running
from courseware.exercises.feedback import feedback
from courseware.exercises.judge import judge_all
from courseware.exercises.reasons import ONLY_HIDDEN
from courseware.exercises.values import Remark, same, settled

from . import Attempt, written
from .mutants import mutants

INPUTS = 500        # random ones that a mutant has to be right about, to be right
SECONDS = 0.3       # for a mutant that never ends


@dataclass(frozen=True)
class Judged:
    """An attempt, and how it was judged."""

    attempt: Attempt
    solved: bool
    reply: str
    named: bool         # was it told what is wrong, beside the case in which it shows?

    @property
    def rightly(self):
        """Is the verdict the one that is written down, and the mistake the one that was made?"""
        if self.attempt.says is None or self.solved:
            return self.solved and self.attempt.says is None
        return self.attempt.says in self.reply


def judged(exercise, attempts):
    """A list of Judged."""
    verdicts = judge_all(exercise, [attempt.answer for attempt in attempts])
    return [Judged(attempt, verdict.solved, feedback(exercise, verdict), _names(verdict)) for attempt, verdict in zip(attempts, verdicts)]


def _names(verdict):
    """Has a reply more than the case? A reason, or what the check saw the answer do, in the place of a value."""
    return verdict.reason not in ("", ONLY_HIDDEN) or verdict.example is not None and isinstance(verdict.example.outcome.value, Remark)


def mechanical(exercise):
    """The mutants of an exercise's solution as attempts: right if they give what the solution gives, for many inputs.

    Exercises whose answers cannot be tried on random inputs have none.
    """
    if exercise.random_case is None:
        return []
    slips = [(what, code, equivalent(exercise, code)) for what, code in mutants(exercise.solution, exercise.starter)]
    return [Attempt(f"{what}, which comes to the same for {INPUTS} inputs of the exercise's random_case", exercise.answer(code), None)
            if same_answers else Attempt(what, exercise.answer(code), "") for what, code, same_answers in slips]


def equivalent(exercise, code):
    """Does code give what the solution gives, for INPUTS random inputs that no check has?"""
    try:
        answer = exercise.answer(code)
        return all(same(exercise.run(answer, *pickle.loads(arguments)), wanted) for arguments, wanted in _inputs(exercise))
    except Exception:
        return False


def _inputs(exercise):
    """Yield INPUTS pairs (arguments, what the solution gives), made once: a mutant that is wrong needs a few of them."""
    pairs, source = _pairs.setdefault(exercise.id, ([], random.Random(f"other than {exercise.id}")))
    solution = exercise.answer(exercise.solution)
    for place in range(INPUTS):
        if place == len(pairs):
            case = exercise.random_case(source)
            arguments = pickle.dumps(getattr(case, "arguments", case))     # an answer may change them
            pairs.append((arguments, settled(exercise.run(solution, *pickle.loads(arguments)))))
        yield pairs[place]


_pairs = {}     # an exercise's id -> (its pairs so far, where its next inputs come from)


def all_judged(exercise):
    """What was written down and what was made, judged; each mutant that never ends gets a short time."""
    before, running.SECONDS = running.SECONDS, SECONDS
    try:
        return judged(exercise, [*written(exercise.id), *mechanical(exercise)])
    finally:
        running.SECONDS = before


def counted(judgements):
    """(how many, of them judged rightly, how many wrong ones, of them told what is wrong) of a list of Judged."""
    wrong = [judgement for judgement in judgements if judgement.attempt.says is not None]
    return len(judgements), sum(judgement.rightly for judgement in judgements), len(wrong), sum(judgement.named and not judgement.solved for judgement in wrong)
