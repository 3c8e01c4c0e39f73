"""``python -m tests.exercises.attempts``: how the attempts are judged, as a Markdown table; NAMES of exercises for some.

Below the table: each attempt that is judged wrongly, and, with --unnamed, each wrong one that is told no more than the
case in which it is wrong.
"""
import argparse
import sys

import course_lib  # noqa: F401  (attaches the driver, so it comes first)
from course_lib.core.tables import markdown
from courseware.exercises.catalogue import EXERCISES, find

import pycuda.autoinit  # noqa: F401

from .judged import all_judged, counted

HEAD = ("exercise", "attempts", "judged rightly", "wrong ones", "told what is wrong")


def main(arguments):
    """Print the table; the exit status says whether all are judged rightly."""
    parser = argparse.ArgumentParser(prog="python -m tests.exercises.attempts", description="How attempts are judged.")
    parser.add_argument("names", metavar="NAME", nargs="*", help="an exercise's id; none for all of them")
    parser.add_argument("--unnamed", action="store_true", help="also list the wrong ones that are not told what is wrong")
    options = parser.parse_args(arguments)
    by_exercise = {exercise.id: all_judged(exercise) for exercise in map(find, options.names or EXERCISES)}
    rows = [(name, *counted(some)) for name, some in by_exercise.items()]
    total = ("together", *map(sum, list(zip(*rows))[1:]))
    print(markdown([*rows, total], HEAD))
    for name, some in by_exercise.items():
        for judged in some:
            if not judged.rightly or options.unnamed and not (judged.named or judged.solved):
                print(f"\n{name}, {judged.attempt.why}: {'told no more than the case' if judged.rightly else 'judged wrongly'}."
                      f"\nWanted: {judged.attempt.says!r}. Said:\n{judged.reply}")
    return int(total[1] != total[2])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
