"""What a learner does with an exercise: check, hint, solution. Each returns (text, True, False or None) and records it.

Buttons and plain calls both end here, so that they have the same effect. Not here: showing it (__init__.py, views.py).
"""
import functools

from course_lib.core.errors import CudaError, Misuse

import pycuda.driver as cuda

from ..notebook.progress_file import record
from . import table_kind
from .done import done
from .feedback import feedback
from .judge import judge

BROKEN = ("The CUDA context of this notebook no longer answers ({error}). Restart the kernel (Kernel > Restart "
          "Kernel), run the cells up to here, and check again.")

solved_here = {}    # id -> the answer that was solved last, in this kernel


def as_sentence(action):
    """Let an action answer with a sentence where it cannot be done; never with a traceback."""
    @functools.wraps(action)
    def wrapped(*arguments):
        try:
            text, good = action(*arguments)
        except Misuse as error:
            text, good = str(error), None
        except (CudaError, cuda.Error) as error:
            text, good = BROKEN.format(error=error), None
        except KeyboardInterrupt:
            text, good = "Stopped before the end. Nothing was kept of it; check again when you like.", None
        return "\n\n".join([text, *record().news()]), good
    return wrapped


def standing(exercise):
    """How many exercises of its lesson are solved, in words: "2 of 3 in this lesson"."""
    progress = done({}, record().part("exercises"))[exercise.lesson]
    return f"{len(progress.solved)} of {len(progress.solved + progress.open)} in this lesson"


@as_sentence
def check(exercise, answer):
    """Judge an answer."""
    verdict = judge(exercise, answer)
    if verdict.solved:
        solved_here[exercise.id] = answer
    if verdict.tried:
        entry = record().entry("exercises", exercise.id)
        fields = {"tries": entry.get("tries", 0) + 1, "solved": verdict.solved or entry.get("solved", False)}
        if verdict.mistake:
            fields["mistakes"] = list(dict.fromkeys([*entry.get("mistakes", ()), verdict.mistake.short]))
        record().update("exercises", exercise.id, **fields)
    replies = [feedback(exercise, verdict, f"That is {standing(exercise)}. "),
               *(table_kind.replies(exercise, answer) if verdict.solved else ())]
    return "\n\n".join(replies), verdict.solved if verdict.tried else None


@as_sentence
def hint(exercise):
    """One hint more each time, those before it included; at last the way to the solution."""
    earlier = record().entry("exercises", exercise.id).get("hints", 0)
    count = min(max(earlier, 0) + 1, len(exercise.hints))
    record().update("exercises", exercise.id, hints=count)
    texts = [f"Hint {number} of {len(exercise.hints)}. {text}" for number, text in enumerate(exercise.hints[:count], 1)]
    if earlier >= len(exercise.hints):
        texts.append(f"There are no more hints. For a solution, call `exercises.solution({exercise.id!r})`.")
    return "\n\n".join(texts), None


@as_sentence
def solution(exercise):
    """A solution: to whom has solved the exercise, has seen both hints, or asks twice."""
    entry = record().entry("exercises", exercise.id)
    hints_left = len(exercise.hints) - entry.get("hints", 0)
    if hints_left > 0 and not (entry.get("solved") or entry.get("asked") or entry.get("solution")):
        record().update("exercises", exercise.id, asked=True)
        there = "is 1 hint" if hints_left == 1 else f"are {hints_left} hints"
        return f"There {there} left: call `exercises.hint({exercise.id!r})`. To see the solution now, ask again.", None
    if not entry.get("solved"):
        record().update("exercises", exercise.id, solution=True)
    code = "\n".join("    " + line for line in exercise.solution.strip("\n").splitlines())
    return f"A solution of {exercise.id}:\n\n{code}", None
