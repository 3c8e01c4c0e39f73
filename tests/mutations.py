"""Would a test notice? Single slips in the packages, chosen by a seed, each made in a copy in which the tests beside it are run.

    .venv/bin/python -m tests.mutations 60 --seed 7                 over all packages
    .venv/bin/python -m tests.mutations 5 --under course_lib/core   under a folder alone

A slip that survives is printed with the tests that were run: some are equivalent, the others want a test. The tests beside a module are
the files that import it, themselves or by a helper, by the words that their names have in common, and then those that import what imports
it. The MOST nearest are run, and if these notice nothing, the WIDER next, so a survivor may still be noticed by others. A test that fails
without the slip as well, because this machine lacks what it needs, is left out. Slips are tried side by side, each in a copy of its own.

Not here: which slips there are (exercises/attempts/mutants.py). cosmic-ray and mutmut make more of them, but run one command for all, in
place, and choose none by a seed.
"""
import argparse
import ast
import collections
import concurrent.futures
import contextlib
import dataclasses
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from courseware.course import lesson
from courseware.exercises.catalogue import EXERCISES

from .exercises.attempts.mutants import slips
from .test_house import MODULES, ROOT, imported_by

SIMULATOR = ROOT / "packages" / "cuda-simulator"
MOST, WIDER = 4, 8  # files of tests for one slip
NO_TESTS = 5        # pytest's exit status
SECONDS = 600       # for either; a slip that makes them hang is noticed


def places_of_slips(text):
    """[(place in the walk over the tree, number of the slip there, line, what)] of a module's text."""
    return [(place, number, node.lineno, what) for place, node in enumerate(ast.walk(ast.parse(text)))
            if hasattr(node, "lineno") for number, (what, _) in enumerate(slips(node))]


def with_slip(text, place, number):
    """The code with one slip."""
    tree = ast.parse(text)
    node = next(node for at, node in enumerate(ast.walk(tree)) if at == place)
    list(slips(node))[number][1]()
    return ast.unparse(ast.fix_missing_locations(tree))


def words(name):
    """The beginnings of its words: what tests `examination` lies in `examine`."""
    return {word[:5] for word in re.split(r"[._/]+", str(name))} - {"test", "tests", "py", "cuda", "cours"}


def imports(path, seen=()):
    """The project's modules that a file of tests and the helpers beside it name in their imports, or in programs that they run."""
    text = path.read_text()
    named = re.findall(r"^\s*(?:from|import) +([\w.]+)(?: import +(.*))?", text, flags=re.MULTILINE)
    names = {name for base, parts in named for name in (base, *(f"{base}.{part}" for part in re.findall(r"\w+", parts))) if name in MODULES}
    for dots, base, parts in re.findall(r"^from (\.+)([\w.]*) import +(.*)", text, flags=re.MULTILINE):
        folder = path.parents[len(dots) - 1] / base.replace(".", "/")
        for helper in (folder.with_suffix(".py"), folder / "__init__.py", *(folder / f"{part}.py" for part in re.findall(r"\w+", parts))):
            if helper.is_file() and helper not in seen:
                names |= imports(helper, (*seen, path))
    return names


def tests_beside(module, files):
    """Of {file of tests: what it imports}, those nearest to a module and those next to them, as lists. The simulated driver has its own, the
    questions to CUDA among them, which are a list of their own, and the catalogue of exercises finds lessons by their names."""
    if module.startswith("courseware.lessons."):
        return [[ROOT / "tests" / "exercises" / name for name in ("test_table.py", "test_attempts.py")]]
    own, wanted = MODULES[module].is_relative_to(SIMULATOR), {module}
    using = {name for name in MODULES if module in imported_by(name)}
    files = {path: names for path, names in files.items() if path.is_relative_to(SIMULATOR) == own}
    while not any(names & wanted for names in files.values()):
        wider = wanted | {name for name in MODULES if imported_by(name) & wanted}
        if wider == wanted:
            break
        wanted = wider

    def nearness(path):
        named = words(path.relative_to(ROOT))
        return len(named & words(module)) + len(named & words(module.split(".")[-1])) + bool(files[path] & wanted), len(files[path] & using)
    nearest = sorted((path for path in files if any(nearness(path))), key=nearness, reverse=True)
    questions = SIMULATOR / "tests" / "conformance" / "test_questions.py"
    answering = re.match(r"cuda_simulator\.(calls|device|memory|libcuda|ptx)\b", module)
    nearest = [path for path in nearest if path != questions]
    return [group for group in (nearest[:MOST], nearest[MOST:MOST + WIDER], [questions] if answering else []) if group]


def of_its_lesson(module):
    """pytest's arguments for the exercises of a lesson alone, where the module is a lesson's."""
    if not module.startswith("courseware.lessons."):
        return []
    folder = ROOT / "courseware" / "lessons" / module.split(".")[2]
    return ["-k", " or ".join(f"[{exercise.id}]" for exercise in EXERCISES.values() if lesson(exercise.lesson).folder == folder)]


def failing(copy, room, *arguments, without=()):
    """Of pytest's arguments, those that are enough to see a failure in a copy of the checkout: the first test that fails, all of them where
    pytest breaks off or does not end, none where everything passes. The room is the part of the checkout that pytest is run in; tests
    `without` which it is run are named as it names them."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (
        str(copy), str(copy / "packages/cuda-simulator/src"), os.environ.get("PYTHONPATH"))))}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider", *arguments,
               *(f"--deselect={name}" for name in without)]
    # In a session of its own, so that what its tests started ends with it.
    pytest = subprocess.Popen(command, cwd=copy / room, env=environment, start_new_session=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        output, _ = pytest.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return list(arguments)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pytest.pid, signal.SIGKILL)
        pytest.wait()
    failed = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", output, flags=re.MULTILINE)
    return [failed[1]] if failed else list(arguments) if pytest.returncode not in (0, NO_TESTS) else []


def first_to_notice(slip, copy, files, failing_anyway):
    """The first of pytest's arguments that fail with a slip and pass without it, none if nothing does, and which files of tests were run."""
    tests = tests_beside(slip.module, files)
    room = (SIMULATOR if slip.path.is_relative_to(SIMULATOR) else ROOT).relative_to(ROOT)
    copied, run = copy / slip.path.relative_to(ROOT), []
    for group in tests:
        beside = [str(test.relative_to(ROOT / room)) for test in group]
        run += beside
        while beside := [name for name in beside if name not in failing_anyway]:
            left_out = [name for name in tuple(failing_anyway) if name.split("::")[0] in beside]
            copied.write_text(with_slip(slip.text, slip.place, slip.number))
            failed = failing(copy, room, *of_its_lesson(slip.module), *beside, without=left_out)
            copied.write_text(slip.text)
            if not failed or not failing(copy, room, *failed):
                break
            if len(failed) > 1 or failed[0] in left_out:
                raise ValueError(f"these tests do not pass without a slip: {' '.join(failed)}")
            failing_anyway.update(failed)
        if beside and failed:
            return failed, run
    return [], run


@dataclasses.dataclass
class Slip:
    """One of those that can be made in a module's text: its place in the walk over the tree, its number there, its line, and what it
    is. The text is that of the copies, whatever becomes of the checkout meanwhile."""

    module: str
    text: str
    place: int
    number: int
    line: int
    what: str

    @property
    def path(self):
        return MODULES[self.module]

    def __str__(self):
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.what}"


def chosen(number, seed, under):
    """So many slips in the modules under a folder, larger modules more often."""
    chance = random.Random(seed)
    modules = {name: path for name, path in sorted(MODULES.items()) if path.relative_to(ROOT).is_relative_to(under)
               and not {"starters", "solutions", "mistakes"} & set(path.parts)}
    for _ in range(number):
        places = []
        while not places:
            name, = chance.choices(list(modules), [path.stat().st_size for path in modules.values()])
            text = modules[name].read_text()
            places = places_of_slips(text)
        yield Slip(name, text, *chance.choice(places))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("number", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--under", default="", help="a folder of the checkout")
    parser.add_argument("--at-a-time", type=int, default=len(os.sched_getaffinity(0)), help="slips side by side; as many as processors")
    options = parser.parse_args()
    files = {path: imports(path) for folder in (ROOT / "tests", SIMULATOR / "tests") for path in sorted(folder.rglob("test_*.py"))}
    slips_to_try = list(chosen(options.number, options.seed, options.under))
    copies, failing_anyway = queue.Queue(), set()

    def outcome(slip):
        copy = copies.get()
        try:
            failed, run = first_to_notice(slip, copy, files, failing_anyway)
            word = "noticed" if failed else "SURVIVED" if run else "NO TESTS"
            print(f"{word:<10} {slip}: {' '.join(failed or run)}", flush=True)
        except ValueError as reason:
            word = "NOT TRIED"
            print(f"{word:<10} {slip}: {reason}", flush=True)
        finally:
            copies.put(copy)
        return word

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.at_a_time) as pool:
        for number in range(options.at_a_time):
            copy = Path(folder) / str(number)
            shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(
                ".venv*", ".build", ".git", ".gpu", ".hypothesis", "__pycache__"))
            copies.put(copy)
        outcomes = list(pool.map(outcome, slips_to_try))
    print(", ".join(f"{count} {word}" for word, count in collections.Counter(outcomes).items()))


if __name__ == "__main__":
    main()
