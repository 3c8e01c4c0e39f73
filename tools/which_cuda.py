"""Which CUDA's packages the set-up takes: those that serve this machine's driver and GPU.

`settle` asks the driver until there is a GPU that is served, and keeps what it chose in .build/cuda.json. From then on
`make setup` alone asks again, and the environment is changed only where what it has does not serve what is found.
`make setup CUDA=12` takes CUDA 12's packages whatever the driver says, until CUDA=auto. A driver that does not answer stops
nothing: the course has its own.

Which packages serve what is in course_lib/driver/served.py. Needs Python's standard library alone.
"""
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

from setup_steps import Problem, Project, environment_of, say

from course_files import write_whole

LISTS = {13: "requirements/course.txt", 12: "requirements/cuda12.txt"}
PATIENCE = 60       # seconds for an answer; a driver that wakes several sleeping GPUs needs some


def _load(name):
    """A module of course_lib/driver, without course_lib: importing that wants the packages that are not here yet."""
    path = Path(__file__).resolve().parent.parent / "course_lib" / "driver" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


served = _load("served")


def settle(project, wanted="", again=False):
    """The project with the list of packages to set up.

    wanted: what CUDA= says: "12", "13", "auto", or "" for what was chosen before
    again:  ask a driver that was asked before, unless somebody has told

    Raises Problem for anything else that CUDA= says.
    """
    if wanted not in ("", "auto", *map(str, LISTS)):
        raise Problem(f"CUDA={wanted} is not one of the course's: {', '.join(map(str, LISTS))}, "
                      "or auto for what serves this machine.")
    before = _chosen_before(project)
    if wanted.isdigit():
        choice = {"cuda": int(wanted), "why": f"CUDA={wanted} says so", "told": True, "served": False}
    elif before and not wanted and (before["told"] or before["served"] and not again):
        choice = before
    else:
        choice = choose(*ask(project), before if not wanted else None)
    if choice != before:
        project.make_build()
        write_whole(_file(project), json.dumps(choice))
        say(f"Taking the packages of CUDA {release(choice['cuda'])}, because {choice['why']}.")
    requirements = LISTS[choice["cuda"]]
    return project if project.requirements.name == requirements else Project(project.root, requirements=requirements)


def ask(project):
    """What the machine's driver says of its first GPU, from a process of its own: (answer, refusals), as course_lib/driver/probe.py
    tells it."""
    probe = project.root / "course_lib" / "driver" / "probe.py"
    try:
        child = subprocess.run([sys.executable, "-S", probe], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               timeout=PATIENCE, env={**environment_of(project), "PYTHONPATH": str(project.root)})
        return json.loads(child.stdout)
    except subprocess.TimeoutExpired:
        return None, [("the driver", f"no answer in {PATIENCE} s")]
    except (OSError, ValueError):       # the library has taken the process with it, or this Python has no ctypes
        return None, [("the driver", "a process that asked it failed")]


def choose(answer, refusals, before=None):
    """What to keep of an answer: which CUDA and why, that nobody has told, and whether the packages serve a GPU. Of two
    that serve, what was chosen `before`."""
    none_served = {"cuda": before["cuda"] if before else max(LISTS), "told": False, "served": False}
    if answer is None:
        reasons = "; ".join(f"{path}: {reason}" for path, reason in refusals) or "this machine has no libcuda.so.1"
        return before or {**none_served, "why": f"no GPU answers and the simulated driver takes its place ({reasons})"}
    gpu, driver_and_gpu = answer["device"], (answer["cuda_version"], answer["compute_capability"])
    best = served.best(*driver_and_gpu)
    if best is None:
        return {**none_served, "why": f"none serve {gpu} and the simulated driver takes its place: "
                                      f"{served.refusal(min(LISTS), *driver_and_gpu)}"}
    if before and before["served"] and not served.refusal(before["cuda"], *driver_and_gpu):
        return before
    newer = next((served.refusal(major, *driver_and_gpu) for major in LISTS if major > best), "")
    why = f"they serve {gpu}" + (f": {newer}" if newer else " and its driver")
    return {"cuda": best, "why": why, "told": False, "served": True}


def release(major):
    """``13 -> "13.0"``: the release of CUDA that the packages are of."""
    return served.dotted(served.PACKAGES[major].cuda)


def _file(project):
    return project.build / "cuda.json"


def _chosen_before(project):
    """What was chosen before; None where nothing was, or it cannot be read."""
    try:
        choice = json.loads(_file(project).read_text())
        return choice if choice["cuda"] in LISTS and {"why", "told", "served"} <= choice.keys() else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
