"""The doctor: ``python -m course_lib`` says what the course would run on here, and what is missing.

For each thing that is missing it names the command that mends it. Exit status 0 if the course can run, else 1.
It only looks: nothing is installed, compiled, or kept in a cache.

Three commands are another matter: ``python -m course_lib record`` measures this machine's GPU (bandwidth/command.py),
``python -m course_lib ask`` puts the questions about CUDA to it (questions.py), and ``python -m course_lib grade FOLDER``
reads the records of a class (grading/).
"""
import argparse
import json
import platform
import sys
from pathlib import Path

from cuda_simulator import doctor
from cuda_simulator.doctor import Finding

from . import __version__, driver, questions
from .driver import served

OLDEST_PYTHON = (3, 10)
CHECKOUT = Path(__file__).resolve().parent.parent


def examine():
    """Yield a Finding for each thing that the course runs on."""
    yield from python()
    yield from attached_driver()
    yield from cuda_packages()
    if driver.attached:     # without one, neither of the two can be told from a broken one
        yield doctor.pycuda(install)
        yield doctor.cuda_bindings(install)
    yield from doctor.compiler(install)
    for name, needed in (("numpy", True), ("matplotlib", True), ("ipywidgets", True), ("jupyterlab", False), ("numba", False),
                         ("pyopencl", False)):
        yield doctor.package(name, needed, install)


def python():
    """Is this Python new enough, and which course is it?"""
    version = platform.python_version()
    if sys.version_info < OLDEST_PYTHON:
        yield Finding("Python", f"{version}, and the course needs {'.'.join(map(str, OLDEST_PYTHON))} or newer",
                      "make clean setup PYTHON=python3.12")
    else:
        yield Finding("Python", f"{version} ({sys.executable})")
    yield Finding("course_lib", f"{__version__} ({CHECKOUT})")


def attached_driver():
    """Which driver is attached, or why none is."""
    try:
        for label, text in driver.attach().rows():
            yield Finding(label, text)
    except driver.DriverError as error:
        yield Finding("driver", str(error), "unset COURSE_DRIVER" if driver.choice() != "auto" else install("course_lib"))


def cuda_packages():
    """Of which CUDA the packages are, why, and whether they serve the machine's driver and GPU."""
    major = driver.installed_cuda()
    if major is None:       # cuda-bindings is missing, which is a finding of its own
        return
    chosen, found = chosen_cuda(), driver.machine() if driver.choice() != "simulated" else None
    text, mend = _release(major) + (f", because {chosen['why']}" if chosen else ""), ""
    if found:
        facts = found["cuda_version"], found["compute_capability"]
        refusal, best = served.refusal(major, *facts), served.best(*facts)
        other = f"those of CUDA {_release(best)}" if best else ""
        if refusal and best:
            text += f". They do not serve {found['device']}, and {other} do: {refusal}"
            mend = f"cd {CHECKOUT} && make setup CUDA=auto" if chosen else ""
        elif refusal:
            text += f". No packages serve {found['device']}: {served.refusal(min(served.PACKAGES), *facts)}"
        elif best > major and not (chosen and chosen["told"]):
            text += f". {found['device']} and its driver run {other} too" + (" (make setup CUDA=auto)" if chosen else "")
    yield Finding("CUDA packages", text, mend, needed=False)


def _release(major):
    return served.dotted(served.PACKAGES[major].cuda)


def chosen_cuda():
    """What the set-up has chosen (tools/which_cuda.py): {"cuda": 13, "why": ..., "told": False}. None outside its .venv."""
    try:
        return json.loads((CHECKOUT / ".build" / "cuda.json").read_text()) if Path(sys.prefix) == CHECKOUT / ".venv" else None
    except (OSError, ValueError):
        return None


def install(distribution):
    """The command that brings a distribution that is missing or broken."""
    if (CHECKOUT / "Makefile").is_file():
        in_venv = Path(sys.prefix) == CHECKOUT / ".venv"
        return f"cd {CHECKOUT} && " + ("make clean setup" if in_venv else "make doctor")
    return doctor.install(distribution)


def main(arguments=()):
    parser = argparse.ArgumentParser(prog="python -m course_lib", description="What the course would run on here.")
    commands = parser.add_subparsers(dest="command")
    record = commands.add_parser("record", help="measure the bandwidths of this machine's GPU, into a file")
    record.add_argument("--quick", action="store_true", help="fewer sizes and samples: about a minute instead of four")
    record.add_argument("--peers", action="store_true", help="what two GPUs of this machine do to each other, in about two "
                                                             "minutes")
    record.add_argument("--output", metavar="FILE",
                        help="the file to write (default: named after the device and the day)")
    ask = commands.add_parser("ask", help="the questions about CUDA, put to this machine's GPU: what differs from an H200")
    ask.add_argument("--driver", choices=[questions.REAL, questions.SIMULATED], default=questions.REAL,
                     help="simulated: compare the simulated driver instead")
    ask.add_argument("--only", metavar="TEXT", action="append", default=[], help="only the questions whose names contain this")
    ask.add_argument("--jobs", metavar="N", help="how many are asked at once (default: as many as fit)")
    ask.add_argument("--patience", metavar="SECONDS", help="how long one answer may take (default: 20)")
    ask.add_argument("--output", metavar="FILE",
                     help="the file to write, or to go on with (default: named after the GPU, its driver and the day)")
    grade = commands.add_parser("grade", help="the records of a class as a table and a picture")
    grade.add_argument("folder", help="with a file for each learner: course-progress.json, under the learner's name")
    grade.add_argument("--table", metavar="FILE", default="class.csv", help="the CSV file to write (%(default)s)")
    grade.add_argument("--picture", metavar="FILE", default="class.png", help="the PNG file to write (%(default)s)")
    options = parser.parse_args(arguments)
    if options.command == "grade":
        return make_grades(options)
    if options.command == "ask":
        return put_questions(options)
    return make_recording(options) if options.command == "record" else doctor.report(examine(), "The course")


def make_grades(options):
    """Read the records of a class; returns the exit status."""
    driver.attach()     # the exercises, which the records name, are built on PyCUDA
    from .core.errors import WrongArgument
    from .grading import grade
    try:
        grade(options.folder, options.table, options.picture)
    except (WrongArgument, OSError) as error:
        print(error)
        return 1
    return 0


def put_questions(options):
    """Put the questions to a driver; returns the exit status, unless another program takes this one's place."""
    more = [f"--only={one}" for one in options.only]
    more += [f"--{name}={value}" for name in ("jobs", "patience") if (value := getattr(options, name)) is not None]
    more += [f"--output={Path(options.output).absolute()}"] if options.output else []
    return questions.ask(options.driver, more)


def make_recording(options):
    """Measure this machine's GPU into a file; returns the exit status."""
    try:
        driver.attach()
    except driver.DriverError as error:
        print(f"Nothing is recorded: {error}")
        return 1
    from .bandwidth import command  # after the driver is attached, for it imports PyCUDA
    return command.record(options.quick, options.output, options.peers)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
