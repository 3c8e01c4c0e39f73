"""What a learner reads under `check`: what is wrong, where it shows, what to do next (shown by notebook/display.py)."""
import reprlib

_shortener = reprlib.Repr()
_shortener.maxstring = _shortener.maxother = 200
_shortener.maxlist = _shortener.maxtuple = _shortener.maxdict = 12
_shortener.maxlevel = 4


def feedback(exercise, verdict, standing=""):
    """The text for a Verdict. standing: a sentence for who has solved it: how many of its lesson are"""
    check = f"exercises.check({exercise.id!r}, ...)"
    if verdict.solved:
        praise = exercise.answer_kind.solved(verdict)
        parts = [f"Solved. {praise} {standing}Another way to write it: `exercises.solution({exercise.id!r})`."]
    elif not verdict.tried:
        parts = [verdict.reason]
    else:
        example = _example(exercise, verdict.example)
        parts = [f"Not yet. {example}", verdict.reason, _fault(verdict)] if example else [f"Not yet. {verdict.reason}", _fault(verdict)]
        if verdict.mistake is None:
            parts.append(f"{_counted(exercise, verdict)}For a hint, call `exercises.hint({exercise.id!r})`.")
        else:
            parts.append(f"{_counted(exercise, verdict)}Change that, run its cell, and check again: `{check}`.")
    if printed := _printed(verdict):
        parts.append("Printed while it ran:")
        parts.append("\n".join("    " + line for line in printed[:10]))
    return "\n\n".join(filter(None, parts))


def _example(exercise, attempt):
    """The first wrong case: what it should give, and what it gave."""
    if not exercise.answer_kind.shows_example(attempt) or not attempt.call:
        return ""
    return exercise.answer_kind.example(attempt, _short(attempt.expected), _short(attempt.outcome.value))


def _counted(exercise, verdict):
    """How many cases are right, of all that there are; "" without any."""
    behind = f" ({verdict.untried} not tried)" if verdict.untried else ""
    are, cases = "is" if verdict.right == 1 else "are", exercise.answer_kind.cases
    return f"{verdict.right} of {verdict.of} {cases} {are} right{behind}. " if verdict.right else ""


def _printed(verdict):
    """The lines that were printed for the case that is shown, or for all; each once."""
    printed = verdict.example.outcome.printed if verdict.example else ""
    return list(dict.fromkeys(line for line in (printed.strip() or verdict.printed.strip()).splitlines() if line.strip()))


def _fault(verdict):
    """What was raised, and in which line, if a named mistake is all that the learner would read of it."""
    outcome = verdict.example.outcome
    return outcome.text.strip() if verdict.mistake and outcome.how == "raised" else ""


def _short(value):
    """A value as Python writes it, cut where it is long; in reprlib's words where its own class fails at that."""
    return " ".join(_shortener.repr(value).split())
