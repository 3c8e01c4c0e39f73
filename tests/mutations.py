"""Would a test notice? Single slips in the packages, chosen by a seed, each made in a copy in which the tests beside it are run.

    .venv/bin/python -m tests.mutations 60 --seed 7                 over all packages
    .venv/bin/python -m tests.mutations 5 --under course_lib/core   under a folder alone

A slip that survives is printed with the tests that were run: some are equivalent, the others want a test. The tests beside a module are
the files that import it, themselves or by a helper, by the words that their names have in common, and then those that import what imports
it. No more than MOST are run, so a survivor may still be noticed by others. A test that fails has to pass without the slip.

Not here: which slips there are (exercises/attempts/mutants.py). cosmic-ray and mutmut make more of them, but run one command for all, in
place, and choose none by a seed.
"""
import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from courseware.course import lesson
from courseware.exercises.catalogue import EXERCISES

from .exercises.attempts.mutants import slips
from .test_house import MODULES, ROOT, imported_by

SIMULATOR = ROOT / "packages" / "cuda-simulator"
MOST = 4            # files of tests for one slip
SECONDS = 300       # for these; a slip that makes them hang is noticed


def places_of_slips(path):
    """[(place in the walk over the tree, number of the slip there, line, what)] of a file."""
    return [(place, number, node.lineno, what) for place, node in enumerate(ast.walk(ast.parse(path.read_text())))
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
    """Of {file of tests: what it imports}, those nearest to a module. The simulated driver has its own, the questions to CUDA among them, and
    the catalogue of exercises finds lessons by their names."""
    if module.startswith("courseware.lessons."):
        return [ROOT / "tests" / "exercises" / name for name in ("test_table.py", "test_attempts.py")]
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
    nearest = sorted((path for path in files if any(nearness(path))), key=nearness, reverse=True)[:MOST]
    answering = re.match(r"cuda_simulator\.(calls|device|memory|libcuda)\b", module)
    return nearest + [SIMULATOR / "tests" / "conformance" / "test_questions.py"] * bool(answering)


def of_its_lesson(module):
    """pytest's arguments for the exercises of a lesson alone, where the module is a lesson's."""
    if not module.startswith("courseware.lessons."):
        return []
    folder = ROOT / "courseware" / "lessons" / module.split(".")[2]
    return ["-k", " or ".join(f"[{exercise.id}]" for exercise in EXERCISES.values() if lesson(exercise.lesson).folder == folder)]


def failing(copy, room, *arguments):
    """Of pytest's arguments, those that are enough to see a failure in a copy of the checkout: the first test that fails, all of them where
    pytest breaks off or does not end, none where everything passes. The room is the part of the checkout that pytest is run in."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (copy, copy / "packages/cuda-simulator/src")))}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider", *arguments]
    try:
        ran = subprocess.run(command, cwd=copy / room, env=environment, timeout=SECONDS, capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        return arguments
    failed = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", ran.stdout, flags=re.MULTILINE)
    return [failed[1]] if failed else arguments if ran.returncode else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("number", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--under", default="", help="a folder of the checkout")
    options = parser.parse_args()
    chance, survived = random.Random(options.seed), 0
    files = {path: imports(path) for folder in (ROOT / "tests", SIMULATOR / "tests") for path in sorted(folder.rglob("test_*.py"))}
    modules = {name: path for name, path in sorted(MODULES.items()) if path.relative_to(ROOT).is_relative_to(options.under)
               and not {"starters", "solutions", "mistakes"} & set(path.parts)}
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "checkout"
        shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(".venv*", ".build", ".git", ".hypothesis", "__pycache__"))
        for _ in range(options.number):
            places = []
            while not places:
                name, = chance.choices(list(modules), [path.stat().st_size for path in modules.values()])
                places = places_of_slips(modules[name])
            place, number, line, what = chance.choice(places)
            path, tests = modules[name], tests_beside(name, files)
            shown = f"{path.relative_to(ROOT)}:{line}: {what}"
            if not tests:
                print(f"NO TESTS   {shown}", flush=True)
                continue
            room = (SIMULATOR if tests[0].is_relative_to(SIMULATOR) else ROOT).relative_to(ROOT)
            beside = [str(test.relative_to(ROOT / room)) for test in tests]
            text, copied = path.read_text(), copy / path.relative_to(ROOT)
            copied.write_text(with_slip(text, place, number))
            failed = failing(copy, room, *of_its_lesson(name), *beside)
            copied.write_text(text)
            survived += not failed
            outcome = "SURVIVED" if not failed else "noticed" if not failing(copy, room, *failed) else "NOT TRIED"
            print(f"{outcome:<10} {shown}: {' '.join(failed or beside)}", flush=True)
    print(f"{survived} of {options.number} survived")


if __name__ == "__main__":
    main()
