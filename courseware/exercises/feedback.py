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
        said = exercise.answer_kind.solved(verdict)
        parts = [f"Solved. {said} {standing}Another way to write it: `exercises.solution({exercise.id!r})`."]
    elif not verdict.tried:
        parts = [verdict.reason]
    else:
        parts = [f"Not yet. {verdict.reason}".strip(), _example(exercise, verdict.example), _fault(verdict)]
        if verdict.mistake is None:
            some_right = f"{verdict.right} of {verdict.of} cases are right. " if verdict.right else ""
            parts.append(f"{some_right}`exercises.hint({exercise.id!r})` gives a hint.")
        else:
            parts.append(f"Change that, run its cell, and check again: `{check}`.")
    if verdict.printed.strip():
        parts.append("Printed while it ran:")
        parts.append("\n".join("    " + line for line in verdict.printed.strip().splitlines()[:10] if line.strip()))
    return "\n\n".join(filter(None, parts))


def _example(exercise, attempt):
    """The first wrong case: what it should give, and what it gave."""
    if not exercise.answer_kind.shows_example(attempt) or not attempt.call:
        return ""
    return exercise.answer_kind.example(attempt, _short(attempt.expected), _short(attempt.outcome.value))


def _fault(verdict):
    """Where a kernel was stopped, if a named mistake is all that the learner would read of it."""
    outcome = verdict.example.outcome
    if verdict.mistake is None or outcome.how != "raised" or not str(outcome.value).startswith("CUDA_ERROR"):
        return ""
    return outcome.text.strip()


def _short(value):
    """A value as Python writes it, cut where it is long; in reprlib's words where its own class fails at that."""
    return " ".join(_shortener.repr(value).split())
