"""What a learner reads under `check`: what is wrong, where it shows, what to do next (shown by notebook/display.py)."""
import reprlib

_shortener = reprlib.Repr()
_shortener.maxstring = _shortener.maxother = 200
_shortener.maxlist = _shortener.maxtuple = _shortener.maxdict = 12
_shortener.maxlevel = 4


def feedback(exercise, verdict, standing=""):
    """The text for a Verdict. standing: a sentence for who has solved it: how many of its lesson are"""
    check = f"exercises.check({exercise.id!r}, ...)"
    words = in_words(exercise, verdict)
    if verdict.solved:
        paragraphs = [f"Solved. {words} {standing}Another way to write it: `exercises.solution({exercise.id!r})`."]
    elif not verdict.tried:
        paragraphs = [words]
    else:
        to_do = (f"For a hint, call `exercises.hint({exercise.id!r})`." if verdict.mistake is None else
                 f"Change that, run its cell, and check again: `{check}`.")
        paragraphs = [f"Not yet. {words}", _fault(verdict), f"{_counted(exercise, verdict)}{to_do}"]
    if printed := _printed(verdict):
        paragraphs.append("Printed while it ran:")
        paragraphs.append("\n".join("    " + line for line in printed[:10]))
    return "\n\n".join(filter(None, paragraphs))


def in_words(exercise, verdict):
    """What the verdict itself says, without what a learner may do next in a notebook."""
    if verdict.solved:
        return exercise.answer_kind.solved(verdict)
    example = _example(exercise, verdict.example) if verdict.tried else ""
    return "\n\n".join(filter(None, (example, verdict.reason)))


def _example(exercise, trial):
    """The first wrong case: what it should give, and what it gave."""
    if not exercise.answer_kind.shows_example(trial) or not trial.call:
        return ""
    return exercise.answer_kind.example(trial, _short(trial.expected), _short(trial.outcome.value))


def _counted(exercise, verdict):
    """How many cases are right, of all that there are; "" without any."""
    if not verdict.right:
        return ""
    untried = f" ({verdict.untried} not tried)" if verdict.untried else ""
    are = "is" if verdict.right == 1 else "are"
    return f"{verdict.right} of {verdict.of} {exercise.answer_kind.cases} {are} right{untried}. "


def _printed(verdict):
    """The lines that were printed for the case that is shown, or for all; each once."""
    of_the_case = verdict.example.outcome.printed.strip() if verdict.example else ""
    lines = (of_the_case or verdict.printed.strip()).splitlines()
    return list(dict.fromkeys(line for line in lines if line.strip()))


def _fault(verdict):
    """What was raised, and in which line, if a named mistake is all that the learner would read of it."""
    outcome = verdict.example.outcome
    return outcome.text.strip() if verdict.mistake and outcome.how == "raised" else ""


def _short(value):
    """A value as Python writes it, cut where it is long; in reprlib's words where its own class fails at that."""
    return " ".join(_shortener.repr(value).split())
