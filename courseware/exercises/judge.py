"""Judge an answer: right, one of the named mistakes, or wrong in a way that can at least be told exactly.

Not here: the kinds of answers, and which of them cannot be run at all (kinds.py), running them (trials.py,
sandboxed.py), which mistake it is (recognise.py), what is said where it is none (reasons.py), and putting the verdict
under a cell (feedback.py).
"""
from dataclasses import dataclass

from .reading import never_read, shows
from .reasons import observed, only_none, reason_for
from .recognise import proves, recognise, simplest_wrong
from .sandboxed import trials_of, trials_of_all
from .trials import FROM_THE_LINE, Trial
from .values import form

NO_MEMORY = ("The check itself got no memory on this machine, whatever your answer is: {error}. Close other programs "
             "or notebooks that use the GPU, and check again.")
# Before a mistake's message, unless what came of the answer singles it out and its source shows it.
ASKED = "Is it this? "
NO_DRIVER = ("The check counts what kernels do over the simulated driver, and cannot do so here, whatever your answer "
             "is: {message}")
ITSELF = {"CUDA_ERROR_OUT_OF_MEMORY": NO_MEMORY, "MemoryError": NO_MEMORY, "DriverError": NO_DRIVER}
NOT_HERE = "The check cannot run on this machine, whatever the answer is: {error}.\n{message}"


@dataclass(frozen=True)
class Verdict:
    """What came of an answer. `solved`; else `reason`, and where it shows, `example`."""

    solved: bool
    reason: str = ""
    mistake: object = None          # the Mistake, where it is a known one
    example: Trial | None = None  # the simplest case that is wrong
    right: int = 0                  # number of cases
    of: int = 0
    hidden: int = 0                 # of these, not in the statement
    printed: str = ""
    untried: int = 0                # of these, behind one that ended everything
    tried: bool = True              # False where nothing was run: no answer, the wrong thing, or the starter


def judge(exercise, answer):
    """The Verdict on an answer. Raises what makes running any answer impossible, such as a missing CUDA context."""
    if refused := _refused(exercise, answer):
        return refused
    return _verdict(exercise, answer, *trials_of(exercise, answer))


def judge_all(exercise, answers):
    """A Verdict for each answer, as `judge` gives it, except that what they printed is lost.

    Where answers need a process of their own, several share one.
    """
    refusals = [_refused(exercise, answer) for answer in answers]
    to_try = [answer for answer, refusal in zip(answers, refusals) if not refusal]
    trials = iter(trials_of_all(exercise, to_try))
    return [refusal or _verdict(exercise, answer, next(trials), "") for answer, refusal in zip(answers, refusals)]


def judge_listed(exercise):
    """[(Mistake, code, Verdict)]: how an exercise's own mistakes are judged, each way to make them."""
    judged = []
    for mistake, ways in zip(exercise.mistakes, _trials_of_mistakes(exercise)):
        for code, theirs in zip(mistake.ways, ways):
            answer = exercise.answer(code)
            judged.append((mistake, code, _refused(exercise, answer) or _verdict(exercise, answer, theirs, "")))
    return judged


def _refused(exercise, answer):
    """The Verdict on what cannot be tried; None for what can."""
    refusal = exercise.answer_kind.refusal(exercise, answer)
    return Verdict(False, refusal, tried=False) if refusal else None


def _verdict(exercise, answer, trials, printed):
    wrong = simplest_wrong(trials)
    counts = {"right": sum(trial.right for trial in trials), "of": len(trials), "printed": printed,
              "hidden": sum(trial.hidden for trial in trials),
              "untried": sum(trial.outcome.how == "untried" for trial in trials)}
    if wrong is None:
        return Verdict(True, **counts)
    if not_tried := _fails_itself(wrong):
        return Verdict(False, not_tried, tried=False)
    if reason := observed(exercise, answer, trials, wrong):
        return Verdict(False, reason, None, wrong, **counts)
    no_mistake = exercise.answer_kind.has_form and _only_form(trials) or only_none(trials)
    mistake_trials = [] if no_mistake else _trials_of_mistakes(exercise)
    if mistake_trials and _whatever_is_tried(trials, mistake_trials) and not _can_be_solved_here(exercise):
        first_outcome = trials[0].outcome
        return Verdict(False, NOT_HERE.format(error=first_outcome.value, message=first_outcome.text), tried=False)
    mistake = recognise(exercise, answer, trials, mistake_trials) if mistake_trials else None
    if mistake and proves(exercise, answer, trials, mistake_trials, mistake) and shows(answer, mistake.seen):
        return Verdict(False, mistake.message, mistake, wrong, **counts)
    if mistake and not never_read(answer):      # no guess, where it is seen what is missing
        return Verdict(False, f"{ASKED}{mistake.message}", mistake, wrong, **counts)
    return Verdict(False, reason_for(exercise, answer, trials, wrong), None, wrong, **counts)


def _fails_itself(wrong):
    """Why the check, and not the answer, failed: what was raised came from none of the learner's own lines; else ""."""
    if wrong.outcome.how != "raised" or FROM_THE_LINE in wrong.outcome.text:
        return ""
    return ITSELF.get(wrong.outcome.value, "").format(error=wrong.outcome.value, message=wrong.outcome.text.strip())


def _whatever_is_tried(trials, mistake_trials):
    """Does the answer fail at once, and every listed mistake in the same way? Then it may be the machine's fault."""
    def beginning(trials):
        return trials[0].outcome.how, trials[0].outcome.value
    how, error = beginning(trials)
    return how == "raised" and all(beginning(theirs) == (how, error) for ways in mistake_trials for theirs in ways)


def _can_be_solved_here(exercise):
    """Does the solution get through its first case?"""
    return trials_of_all(exercise, [exercise.answer(exercise.solution)])[0][0].right


def _only_form(trials):
    """Is every wrong case right but for its form?"""
    wrong = [trial for trial in trials if not trial.right]
    return all(trial.outcome.how == "value" and form(trial.outcome.value, trial.expected) for trial in wrong)


def _trials_of_mistakes(exercise):
    """What the listed mistakes come to: for each a list of lists of Trial, one for each way to make it.

    It takes a process of its own, or as long as many answers, and comes to the same each time: it is kept, but where
    the driver makes the cases, with other addresses each time.
    """
    if callable(exercise.cases) and not exercise.sandboxed:
        return _run_known(exercise)
    if exercise.id not in _kept or _kept[exercise.id][0] is not exercise:
        _kept[exercise.id] = exercise, _run_known(exercise)
    return _kept[exercise.id][1]


_kept = {}      # an exercise's id -> (the Exercise, what its mistakes come to)


def _run_known(exercise):
    codes = [exercise.answer(code) for mistake in exercise.mistakes for code in mistake.ways]
    trials = iter(trials_of_all(exercise, codes))
    return [[next(trials) for _ in mistake.ways] for mistake in exercise.mistakes]
