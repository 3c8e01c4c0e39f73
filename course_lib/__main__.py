"""The doctor: ``python -m course_lib`` says what the course would run on here, and what is missing.

For each thing that is missing it names the command that mends it. Exit status 0 if the course can
run, else 1. Where only the library is installed, and no lessons are there, it says whether a
program that uses course_lib can run. It only looks: nothing is installed, compiled, or kept in a
cache. Not here: the set-up (tools/bootstrap.py), and the checks that the simulated driver's own
doctor makes, too (cuda_simulator/doctor.py).
"""
import json
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from cuda_simulator import doctor
from cuda_simulator.doctor import Diagnosis

from . import __version__, driver
from .driver import served

OLDEST_PYTHON = (3, 10)
CHECKOUT = Path(__file__).resolve().parent.parent


def examine() -> Iterator[Diagnosis]:
    """Yield a Diagnosis for each thing that the course runs on."""
    yield from python()
    yield from attached_driver()
    yield from cuda_packages()
    if driver.attached:     # without one, neither of the two can be told from a broken one
        yield doctor.pycuda(install)
        yield doctor.cuda_bindings(install)
    yield from doctor.compiler(install)
    yield doctor.package("numpy", True, install)
    for name, needed in (("matplotlib", True), ("ipywidgets", True), ("jupyterlab", False), ("numba", False)):
        diagnosis = doctor.package(name, needed, install)
        yield diagnosis if is_checkout() or not diagnosis.mend else Diagnosis(name, f"{diagnosis.text}; only lessons need it", needed=False)


def python() -> Iterator[Diagnosis]:
    """Is this Python new enough, and which course is it?"""
    version = platform.python_version()
    if sys.version_info < OLDEST_PYTHON:
        yield Diagnosis("Python", f"{version}, and the course needs {'.'.join(map(str, OLDEST_PYTHON))} or newer",
                        "make clean setup PYTHON=python3.12")
    else:
        yield Diagnosis("Python", f"{version} ({sys.executable})")
    yield Diagnosis("course_lib", f"{__version__} ({CHECKOUT})")


def attached_driver() -> Iterator[Diagnosis]:
    """Which driver is attached, or why none is."""
    try:
        for label, text in driver.attach().rows():
            yield Diagnosis(label, text)
    except driver.DriverError as error:
        yield Diagnosis("driver", str(error), "unset COURSE_DRIVER" if driver.choice() != "auto" else install("course_lib"))


def cuda_packages() -> Iterator[Diagnosis]:
    """Of which CUDA the packages are, why, and whether they serve the machine's driver and GPU."""
    major = driver.installed_cuda()
    if major is None:       # cuda-bindings is missing, which has a line of its own
        return
    chosen, machine = chosen_cuda(), driver.machine() if driver.choice() != "simulated" else None
    text, mend = _release(major) + (f", because {chosen['why']}" if chosen else ""), ""
    if machine:
        facts = machine["cuda_version"], machine["compute_capability"]
        refusal, best = served.refusal(major, *facts), served.best(*facts)
        better = f"those of CUDA {_release(best)}" if best else ""
        if refusal and best:
            text += f". They do not serve {machine['device']}, and {better} do: {refusal}"
            mend = f"cd {CHECKOUT} && make setup CUDA=auto" if chosen else ""
        elif refusal:
            text += f". No packages serve {machine['device']}: {served.refusal(min(served.PACKAGES), *facts)}"
        elif best and best > major and not (chosen and chosen["told"]):
            text += f". {machine['device']} and its driver run {better} too" + (" (make setup CUDA=auto)" if chosen else "")
    yield Diagnosis("CUDA packages", text, mend, needed=False)


def _release(major: int) -> str:
    return served.dotted(served.PACKAGES[major].cuda)


def chosen_cuda() -> dict | None:
    """What the set-up has chosen (tools/which_cuda.py): {"cuda": 13, "why": ..., "told": False}.
    None outside its .venv."""
    try:
        return json.loads((CHECKOUT / ".build" / "cuda.json").read_text()) if Path(sys.prefix) == CHECKOUT / ".venv" else None
    except (OSError, ValueError):
        return None


def is_checkout() -> bool:
    """Does this course_lib lie with the lessons, and not by itself among a Python's packages?"""
    return (CHECKOUT / "Makefile").is_file()


def install(distribution: str) -> str:
    """The command that brings a distribution that is missing or broken."""
    if is_checkout():
        in_venv = Path(sys.prefix) == CHECKOUT / ".venv"
        return f"cd {CHECKOUT} && " + ("make clean setup" if in_venv else "make doctor")
    return doctor.install(distribution)


def main() -> int:
    """Print the report; returns the exit status."""
    return doctor.report(examine(), "The course" if is_checkout() else "A program that uses course_lib")


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.exit("The doctor takes no arguments. Measuring a GPU and grading a class: python -m courseware --help")
    sys.exit(main())
