"""Ask the attached driver what this suite knows of a GPU.

    python -m tests.conformance                  ask and replay, compare with the recording, print what differs
    python -m tests.conformance record           ask and keep the answers (recorded/)
    python -m tests.conformance ask              ask the questions and print the answers as JSON
    python -m tests.conformance list             the questions' titles

With --only TEXT (repeatable) the questions whose names or titles contain TEXT and no sequences: `record --only` replaces these
questions' answers and keeps the others. With --group NAME (repeatable) the sequences of this group and no questions: `record
--group` replaces these and keeps the others.
"""
import argparse
import collections
import json
import os
import sys
from pathlib import Path

from . import asking, careful, drivers, known, recording, workers
from .sequences import recording as sequence_recording

UNKNOWN = "others, for no known reason"


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["compare", "record", "ask", "list"], default="compare")
    parser.add_argument("--only", action="append", help="a part of a question's name or title")
    parser.add_argument("--part", choices=["questions", "sequences", "both"], default="both")
    parser.add_argument("--group", action="append", choices=sequence_recording.GROUPS, help="of sequences")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--patience", type=float, default=workers.PATIENCE, help="seconds that one answer may take")
    parser.add_argument("--driver", choices=drivers.ATTACH, default="auto",
                        help="auto: the machine's own where a device answers, else the simulated one")
    parser.add_argument("--folder", type=Path, default=recording.FOLDER, help="of the recording")
    options = parser.parse_args(arguments)

    options.attach = drivers.ready(drivers.ATTACH[options.driver])
    questions = asking.load()
    if options.group:
        options.part = "sequences"
    if options.only:
        options.part = "questions"
        questions = {name: question for name, question in questions.items()
                     if any(part in f"{name}: {question.title}" for part in options.only)}
        if not questions:
            parser.error(f"no question's name or title has {' or '.join(options.only)} in it: `list` prints all of them")
    return {"list": list_titles, "ask": ask, "record": record, "compare": compare}[options.what](questions, options)


def list_titles(questions, options):
    for question in questions.values():
        print(f"{question.name}: {question.title}")
    return 0


def answers_to(questions, options):
    progress = (lambda answers: print(f"\r{len(answers)} questions", end="", file=sys.stderr)) if sys.stderr.isatty() else None
    return workers.ask_all(questions.values(), options.attach, options.jobs, options.patience, progress)


def ask(questions, options):
    print(json.dumps(answers_to(questions, options), indent=1))
    return 0


def record(questions, options):
    if options.part != "questions":    # the sequences first: their number is fixed, and they are quick
        path = options.folder / sequence_recording.H200.name
        calls = sequence_recording.fresh(options.group or sequence_recording.GROUPS)
        new_answers = sequence_recording.run(calls, options.attach, options.jobs, recording=True, patience=options.patience)
        calls = {seed: calls[seed] for seed in new_answers}
        head = recording.header(drivers.describe_in_child(options.attach))
        if options.group and path.exists():
            _, earlier, answers = sequence_recording.load(path)
            calls, new_answers = earlier | calls, answers | new_answers
        sequence_recording.save(path, head, calls, new_answers)
        print(f"{len(calls)} sequences, {sum(map(len, calls.values()))} calls")
    if options.part != "sequences":
        path = options.folder / recording.H200.name
        answered = answers_to(questions, options)
        answers = {name: by_label for name, by_label in answered.items() if careful.NOT_ASKED not in by_label}
        if path.exists():    # what was not asked now stays
            earlier = recording.load(path)[1]
            not_asked = answered.keys() - answers.keys()
            answers = (earlier if options.only else {name: earlier[name] for name in earlier if name in not_asked}) | answers
        recording.save(path, recording.header(drivers.describe_in_child(options.attach)), asking.QUESTIONS, answers)
        print(f"{len(answers)} questions, {sum(map(len, answers.values()))} answers")
    return 0


def compare(questions, options):
    """Print what differs; the exit status is 0 if known.py has a reason for all of it."""
    counts = collections.Counter()
    if options.part != "sequences":
        counts += compare_questions(questions, answers_to(questions, options), options.folder / recording.H200.name)
    if options.part != "questions":
        counts += compare_sequences(options)
    return 1 if counts[UNKNOWN] else 0


def counts_by_reason(compared, differing):
    """Answers by what came of comparing them with the recorded ones."""
    unknown = sum(known.reason(difference) is None for difference in differing)
    return collections.Counter({"answers as recorded": compared - len(differing),
                                "others, for a known reason": len(differing) - unknown, UNKNOWN: unknown})


def compare_questions(questions, answers, path):
    head, recorded = recording.load(path)
    total, differing, unrecorded = 0, [], 0
    left_out = sum(careful.NOT_ASKED in by_label for by_label in answers.values())
    for name, question in questions.items():
        compared, differences = recording.compare(question, recorded.get(name, {}), answers.get(name, {}))
        total += compared
        unrecorded += len(answers.get(name, {}).keys() - recorded.get(name, {}).keys() - {careful.NOT_ASKED})
        differing += differences
    counts = counts_by_reason(total, differing)
    show(differing)
    print(f"{len(questions)} questions; {total} answers compared with those of {recording.titled(head)}: "
          f"{total - len(differing)} alike, {len(differing)} differ, {counts[UNKNOWN]} of them for no known reason"
          f"{f'; {unrecorded} are not recorded yet' if unrecorded else ''}"
          f"{f'; {left_out} questions were not asked, since they need more devices' if left_out else ''}")
    return counts


def show(differing):
    """Print differences, each with the reason where there is one."""
    for difference in differing:
        why = known.reason(difference)
        print(difference, f"\n    known: {why}" if why else "", end="\n\n")


def compare_sequences(options):
    head, calls, recorded = sequence_recording.load(options.folder / sequence_recording.H200.name)
    if options.group:
        calls = sequence_recording.of_groups(options.group, calls)
    answered = sequence_recording.run(calls, options.attach, options.jobs, patience=options.patience)
    compared, differing = sequence_recording.compare(calls, recorded, answered)
    counts = counts_by_reason(compared, differing)
    show(differing)
    print(f"{len(calls)} sequences; {compared} calls compared with those of {recording.titled(head)}: "
          f"{compared - len(differing)} alike ({1 - len(differing) / max(compared, 1):.3%}), {len(differing)} differ, "
          f"{counts[UNKNOWN]} of them for no known reason")
    return counts


if __name__ == "__main__":
    sys.exit(main())
