"""Run programs that other projects publish as examples over the simulated driver, each in a process of its own, and print a table.

    python -m tests.peers.programs                       all whose packages are installed
    python -m tests.peers.programs puzzles bindings      some of them
    python -m tests.peers.programs --sources FOLDER      a folder that has, or gets, their files

A program ran if it ended with status 0, and said what it says where all is well. Its files stay as they are: what an example lacks, such
as a drawing library, is put in its place by `preamble`, which runs in the same process.
"""
import argparse
import importlib.util
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from . import running

NO_DRAWING = """
import sys
from unittest.mock import MagicMock
for name in ("chalk", "colour", "IPython", "IPython.display"):
    sys.modules[name] = MagicMock()
import typing
sys.modules["chalk"].__all__ = ["Any", "Callable", "Dict", "List", "Optional", "Tuple", "image"]     # what lib.py has from it
for name in sys.modules["chalk"].__all__[:-1]:
    setattr(sys.modules["chalk"], name, getattr(typing, name))
import lib
lib.CudaProblem.show = lambda *arguments, **options: None
"""
HELPERS = """
import cuda.bindings
cuda.bindings.__path__.append({root!r} + "/cuda_bindings/cuda/bindings")    # its helpers for examples are in no wheel
"""


@dataclass(frozen=True)
class Programs:
    """The examples of one project."""

    repository: str             # on GitHub
    commit: str
    folder: str                 # in the repository
    files: str                  # a pattern, from there
    needs: str                  # a module that has to be installed
    says: str = ""              # in the output of one that ran
    preamble: str = ""          # code that runs first; {root} is the repository
    left_out: dict = field(default_factory=dict)    # a file's name -> why


ALL = {
    "bindings": Programs("NVIDIA/cuda-python", "cb56ab9f9ae3b4a0ef19666697336945925589a5", "cuda_bindings/examples", "*/*.py",
                         "cuda.bindings", preamble=HELPERS, left_out={"nvidia_smi.py": "another library than the driver (NVML)"}),
    "puzzles": Programs("rm-wu/GPU-Puzzles", "01edfcc7e106bdd4a2386d4d16560c3686d7aca8", "solutions", "puzzle_*.py", "numba",
                        says="Passed Tests!", preamble=NO_DRAWING),
    # Before a change of style, the next commit, took the import out that initialises CUDA.
    "pycuda": Programs("inducer/pycuda", "f208f45d1fede42c77717add11931baab736d3db", "examples", "**/*.py", "pycuda", left_out={
        name: "OpenGL" for name in ("gl_interop.py", "light_field_3d_viewer.py", "mandelbrot_interactive.py", "sobel_filter.py")}),
}


def fetch(name, folder):
    """The project's files in folder/NAME, fetched from GitHub unless they are there."""
    return running.fetch(ALL[name].repository, ALL[name].commit, Path(folder).resolve() / name)


def run(file, programs, root, seconds):
    """"" where the program ran, else the last line that says why not: what is not simulated, if it asked for that."""
    code = programs.preamble.format(root=str(root)) if programs.preamble is HELPERS else programs.preamble
    code += f"\nimport runpy, sys\nsys.argv = [{file.name!r}]\nrunpy.run_path({file.name!r}, run_name='__main__')"
    # Two devices: examples of peers need them.
    command = [sys.executable, "-W", "ignore", "-m", "cuda_simulator", "--devices", "2", "-c", code]
    try:
        result = subprocess.run(command, cwd=file.parent, env={**os.environ, "PYTHONPATH": str(running.ROOT / "src")}, timeout=seconds,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", text=True)
    except subprocess.TimeoutExpired:
        return f"did not end within {seconds} seconds"
    lines = [line for line in result.stdout.splitlines() if line.strip()]
    if result.returncode == 0 and programs.says in result.stdout:
        return ""
    lacks = [line for line in lines if line.startswith("not simulated: ")]
    return (lacks or lines or [f"status {result.returncode}"])[-1]


def main(arguments=None):
    parser = argparse.ArgumentParser("python -m tests.peers.programs", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*ALL, []], default=[], metavar="name")
    parser.add_argument("--sources", default=running.ROOT / ".build" / "programs", help="a folder; NAME in it is not fetched again")
    parser.add_argument("--seconds", type=int, default=300, help="for one program")
    options = parser.parse_args(arguments)
    rows = ["| programs of | ran | did not |", "|---|---|---|"]
    for name in options.names or ALL:
        programs = ALL[name]
        if importlib.util.find_spec(programs.needs) is None:
            print(f"{programs.needs} is not installed: {name} is not run", file=sys.stderr)
            continue
        root, ran, failed = fetch(name, options.sources), 0, 0
        for file in sorted((root / programs.folder).glob(programs.files)):
            if file.name in programs.left_out:
                continue
            why = run(file, programs, root, options.seconds)
            print(f"{name}/{file.name}: {why or 'ran'}", flush=True)
            ran, failed = ran + (not why), failed + bool(why)
        rows.append(f"| {programs.repository} at {programs.commit[:9]} | {ran} | {failed} |")
    print("", *rows, sep="\n")


if __name__ == "__main__":
    main()
