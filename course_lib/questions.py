"""``python -m course_lib ask``: the questions about CUDA, put to this machine's GPU.

The questions, and what an H200 answered, are not installed with the course: they lie in its source, under
tests/conformance, where the simulated driver is checked against them. So this hands over to a program there, which
asks, keeps the answers in a file, and says what differs.

Not here: the questions, and how they are asked (tests/conformance/systems).
"""
import importlib.util
import os
import sys
from pathlib import Path

from . import driver

SOURCE = Path(__file__).resolve().parent.parent
PROGRAM = "tests.conformance.systems"
SIMULATED, REAL = "simulated", "real"


def ask(which=REAL, more=()):
    """Become the program that asks; returns 1, after it has said why, where it cannot.

    which: the driver, "real" or "simulated"
    more:  further arguments of that program
    """
    why_not = lacking(which)
    if why_not:
        print(f"Nothing is asked: {why_not}")
        return 1
    chosen = ["--simulated"] if which == SIMULATED else ["--library", driver.attached.library]
    paths = os.pathsep.join(filter(None, [str(SOURCE), os.environ.get("PYTHONPATH")]))
    folder = os.getcwd()
    os.chdir(SOURCE)    # a folder `tests` of somebody else's may be here
    # In the place of this process: it has the driver loaded, and Ctrl-C is for the one that asks.
    os.execve(sys.executable, [sys.executable, "-m", PROGRAM, "ask", *chosen, "--folder", folder, *more],
              {**os.environ, "PYTHONPATH": paths})


def lacking(which):
    """What is missing, and what to do; "" if nothing is."""
    if not (SOURCE / "tests" / "conformance" / "systems").is_dir():
        return (f"the questions are in the course's source, and {SOURCE} has the installed packages alone. Clone the "
                "repository, type `make setup` in its folder, and then `.venv/bin/python -m course_lib ask`.")
    if importlib.util.find_spec("cuda") is None:
        return "cuda-bindings is not installed here. `python -m course_lib` says how to install what is missing."
    if which == SIMULATED:
        return ""
    try:
        found = driver.attach()
    except driver.DriverError as error:
        return str(error)
    if not found.simulated:
        return ""
    wanted = ("Unset COURSE_DRIVER." if driver.choice() == SIMULATED else
              "It needs an NVIDIA GPU that `nvidia-smi` lists, and its driver 580 or newer; `python -m course_lib` "
              "says what is found here.")
    return (f"the simulated driver is attached, because {found.why}. {wanted} To compare the simulated driver, add "
            "`--driver simulated`.")
