"""Put the questions to a reader's own GPU, or write the page about all systems.

    python -m tests.conformance.systems ask                 this machine's GPU
    python -m tests.conformance.systems ask --simulated     the simulated driver
    python -m tests.conformance.systems page

Run it in the folder packages/cuda-simulator of a checkout.
"""
import argparse
import sys
from pathlib import Path

from .. import asking, known, recording
from . import comparing, files, machine, page, report, session


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.systems", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    ask = commands.add_parser("ask")
    driver = ask.add_mutually_exclusive_group()
    driver.add_argument("--library", default="libcuda.so.1", help="the GPU's driver, where the loader does not find it (%(default)s)")
    driver.add_argument("--simulated", action="store_true", help="the simulated driver")
    ask.add_argument("--folder", type=Path, default=Path(), help="where the file is written")
    ask.add_argument("--output", type=Path, help="the file, where it is to have another name")
    ask.add_argument("--only", action="append", help="a part of a question's name")
    ask.add_argument("--jobs", type=int, help="how many processes ask at once")
    ask.add_argument("--patience", type=float, default=session.PATIENCE, help="seconds that one answer may take")
    commands.add_parser("page")
    options = parser.parse_args(arguments)
    asking.load()
    return page.write() if options.command == "page" else put(options)


def put(options):
    """Ask, write the file, say what differs. The exit status is 0 if everything that was wanted has an answer and every
    difference of the simulated driver is known."""
    attach = session.attachment(None if options.simulated else options.library)
    try:
        head = session.prepare(attach, options.simulated)
        path, head, earlier = session.open_file(options.folder, options.output, head)
        chosen = chosen_questions(options.only, earlier)
        jobs = options.jobs or machine.fitting_jobs(attach)
    except (RuntimeError, ValueError) as error:
        print(f"Nothing is asked: {error}.")
        return 1
    if earlier:
        print(f"{path} has the answers to {report.quantity(len(earlier), 'question')}.")
    answers = earlier
    if chosen:
        print(f"{report.quantity(len(chosen), 'question')} to {recording.titled(head)}, {jobs} at a time: some "
              "minutes. Ctrl-C stops it, and what was answered is kept.", flush=True)
        answers = session.ask(chosen, attach, path, head, earlier, jobs, options.patience)
        print(file=sys.stderr if sys.stderr.isatty() else None)
    reference, ours = recording.load()
    compared = comparing.compare(ours, answers, options.simulated)
    print(*report.comparison(compared, reference, options.simulated), "", *report.not_asked(answers), sep="\n")
    print(f"{path}: {report.heading(head, answers)}")
    unknown = options.simulated and any(known.reason(difference) is None for difference in compared.differences)
    say_what_next(session.missing(answers), options, path)
    return 1 if unknown or any(question.name not in answers for question in chosen) else 0


def chosen_questions(only, answered):
    """The questions to ask now: those named, or all that have no answer. Raises ValueError where none is called so."""
    if not only:
        return [question for name, question in files.QUESTIONS.items() if name not in answered]
    chosen = [question for name, question in files.QUESTIONS.items() if any(part in name for part in only)]
    if not chosen:
        raise ValueError(f"no question's name contains {' or '.join(only)}; `python -m tests.conformance list` has all")
    return chosen


def say_what_next(missing, options, path):
    if missing:
        print(f"Left: {report.quantity(len(missing), 'question')}. The same command without --only asks them, and adds "
              "their answers to the file.")
    elif not options.simulated:
        print(f"To contribute the file, copy it to {files.FOLDER.relative_to(page.ROOT)}/ in a checkout: "
              "tests/conformance/README.md says how. To ask everything again, delete it first.")


if __name__ == "__main__":
    sys.exit(main())
