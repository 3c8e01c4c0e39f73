"""Would a test notice? Single slips in the packages, chosen by a seed, each made in a copy of the checkout in which tests are run.

    .venv/bin/python -m tests.mutations 60 --seed 7                 over all packages
    .venv/bin/python -m tests.mutations 5 --under course_lib/core   under a folder alone

First both suites are run once under coverage.py: .build/entered has the lines that each test enters, in processes that it starts as well,
until a module or a test changes. Then the MOST tests that enter a slip's line, and little else, are run with the slip. What these do not notice is put to
the whole suites at the end, all such slips at once, and the tests that fail then are run with each alone. So a slip that survives is noticed by
no test: some are equivalent, the others want one. What `make test-lessons` runs takes no part, nor does a test that fails without the slip as
well, because this machine lacks what it needs. Slips are tried side by side, each in a copy of its own.

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
import sqlite3
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import coverage
import coverage.numbits

from .exercises.attempts.mutants import slips
from .test_house import MODULES, ROOT, imported_by

SIMULATOR = ROOT / "packages" / "cuda-simulator"
sys.path.append(str(ROOT / "tools"))
from bootstrap import PUBLISHED  # noqa: E402

# Where pytest is run -> its arguments for all of it. A module with a slip is written without its comments and line ends, which is bad style.
SUITES = {ROOT: ["--nbval", "tests", "notebooks", *(f"--ignore={path}" for path in [*PUBLISHED, "tests/test_style.py"])], SIMULATOR: ["tests"]}
ENTERED = ROOT / ".build" / "entered"
MOST = 60           # tests that are asked before the suites are
NO_TESTS = 5        # pytest's exit status
SECONDS, HOUR = 600, 3600       # for these, and for a whole suite; a slip that makes tests hang is noticed

# In each process of the suites coverage.py notes which test is under way, in those as well that tests start or that are forked for them.
EACH_PROCESS = """
import _thread, os, sys, threading
from pathlib import Path
import coverage

coverage.process_startup()

def note():
    if "TEST_UNDER_WAY" in os.environ and (noting := coverage.Coverage.current()):
        noting.switch_context(Path(os.environ["TEST_UNDER_WAY"]).read_text())

note()
os.register_at_fork(after_in_child=note)
start = _thread.start_new_thread

def start_traced(function, arguments):      # as threading does: kernels run in such threads
    def traced():
        sys.settrace(threading.gettrace())
        function(*arguments)
    return start(traced, ())

_thread.start_new_thread = start_traced

def pytest_runtest_logstart(nodeid):
    if "PYTEST_XDIST_WORKER" in os.environ:
        os.environ["TEST_UNDER_WAY"] = f"{__file__}.{os.getpid()}"
        Path(os.environ["TEST_UNDER_WAY"]).write_text(nodeid)
        note()
"""
# Programs that are stopped by a trace of their lines, which is coverage.py's now, would not end.
STOPPED_BY_A_TRACE = "endless or turns_of_a_loop"
SETTINGS = """
[run]
source_dirs = {folders}
data_file = {data}
parallel = true
patch = _exit, fork
"""


def entered():
    """{a suite's folder: coverage.py's data of which test enters what}, from a run of both where a module or a test has changed since the last."""
    files = {suite: ENTERED / suite.name / "data" for suite in SUITES}
    changed = max(path.stat().st_mtime for path in (*MODULES.values(), *(path for suite in SUITES for path in (suite / "tests").rglob("*.py"))))
    if not all(file.exists() and file.stat().st_mtime > changed for file in files.values()):
        for suite, file in files.items():
            shutil.rmtree(file.parent, ignore_errors=True)
            file.parent.mkdir(parents=True)
            settings = file.with_name("settings")
            settings.write_text(SETTINGS.format(data=file, folders=", ".join(str(ROOT / name) for name in (
                "course_files", "course_lib", "courseware", "packages/cuda-simulator/src"))))
            file.with_name("sitecustomize.py").write_text(EACH_PROCESS)
            print(f"Which lines do the tests in {suite.relative_to(ROOT)} enter?", flush=True)
            subprocess.run([sys.executable, "-m", "pytest", "-q", "-n", "4", "--max-worker-restart=0", "--tb=no", "-p", "sitecustomize",
                            "-k", f"not ({STOPPED_BY_A_TRACE})", *SUITES[suite]], cwd=suite, env={**os.environ, "COVERAGE_PROCESS_START": str(settings),
                                "PYTHONPATH": os.pathsep.join(filter(None, (str(file.parent), os.environ.get("PYTHONPATH"))))})
            coverage.Coverage(config_file=settings).combine([str(file.parent)])
    return files


def parsed(text):
    """The tree of a text. Python 3.11 counts in one place how deep all threads are in theirs, and stumbles over it."""
    with _parsing:
        return ast.parse(text)


_parsing = threading.Lock()


def places_of_slips(text):
    """[((place in the walk over the tree, number of the slip there), line, what)] of a module's text."""
    return [((place, number), node.lineno, what) for place, node in enumerate(ast.walk(parsed(text)))
            if hasattr(node, "lineno") for number, (what, _) in enumerate(slips(node))]


def with_slips(text, *where):
    """The code with slips, each a (place in the walk over the tree, number of the slip there)."""
    tree = parsed(text)
    nodes = list(ast.walk(tree))
    for slip in [list(slips(nodes[place]))[number][1] for place, number in where]:
        slip()
    return ast.unparse(ast.fix_missing_locations(tree))


def statement_at(line, text):
    """The lines of the innermost statement there: what is above its body, if it has one, and not its decorators, if it was in one."""
    around = [node for node in ast.walk(parsed(text)) if isinstance(node, ast.stmt)
              and min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))]) <= line <= node.end_lineno]
    innermost = max(around, key=lambda node: node.lineno)
    body = getattr(innermost, "body", None)
    return range(innermost.lineno, body[0].lineno if body else innermost.end_lineno + 1)


def runnable(test):
    """What pytest is told in order to run it: a notebook's cell needs those above it."""
    return test.split("::")[0] if ".ipynb::" in test else test


def tests_entering(slip, data):
    """The tests of a suite that enter the statement of a slip, those first that enter much of its module and little else. Where that is
    not known, since Python imported it or a process was ended before it could tell: those of the module, or of what imports it."""
    database = sqlite3.connect(data)
    coverage.numbits.register_sqlite_functions(database)
    database.create_function("count_of", 1, lambda numbits: len(coverage.numbits.numbits_to_nums(numbits)))

    def entering(paths, condition="1"):
        marks = ", ".join("?" * len(paths))
        rows = database.execute(
            f"SELECT context, SUM(count_of(numbits)) * 1.0 / (SELECT COUNT(*) FROM line_bits AS all_of_it WHERE all_of_it.context_id = context.id) "
            f"AS share FROM line_bits JOIN file ON file.id = file_id JOIN context ON context.id = context_id "
            f"WHERE path IN ({marks}) AND context != '' AND ({condition}) GROUP BY context ORDER BY share DESC", [*map(str, paths)])
        return sorted(dict.fromkeys(runnable(test) for test, _ in rows), key=lambda test: test.endswith(".ipynb"))  # which take longest

    lines = statement_at(slip.line, slip.text)
    importers = [path for name, path in MODULES.items() if slip.module in imported_by(name)]
    return (entering([slip.path], " OR ".join(f"num_in_numbits({line}, numbits)" for line in lines))
            or entering([slip.path]) or entering(importers))


def tests_near(slip, data):
    """[(where pytest is run, its arguments)] for those that are asked first."""
    suites = [SIMULATOR, ROOT] if slip.path.is_relative_to(SIMULATOR) else [ROOT]
    return [(suite, tests) for suite in suites if (tests := tests_entering(slip, data[suite])[:MOST])]


def failing(copy, suite, *arguments, without=(), seconds=SECONDS):
    """Of pytest's arguments, those that are enough to see a failure in a copy of the checkout: the tests that fail, all of the arguments where
    pytest breaks off or does not end, none where everything passes. Tests `without` which it is run are named as it names them."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, (
        str(copy), str(copy / "packages/cuda-simulator/src"), os.environ.get("PYTHONPATH"))))}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider", *arguments,
               *["--nbval"] * any(argument.endswith(".ipynb") for argument in arguments), *(f"--deselect={name}" for name in without)]
    # In a session of its own, so that what its tests started ends with it.
    pytest = subprocess.Popen(command, cwd=copy / suite.relative_to(ROOT), env=environment, start_new_session=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        output, _ = pytest.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        return list(arguments)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pytest.pid, signal.SIGKILL)
        pytest.wait()
    failed = dict.fromkeys(map(runnable, re.findall(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", output, flags=re.MULTILINE)))
    return list(failed) or (list(arguments) if pytest.returncode not in (0, NO_TESTS) else [])


def first_to_notice(slip, copy, tests, failing_anyway):
    """The first of pytest's arguments that fail with a slip and pass without it; none if nothing does."""
    copied = copy / slip.path.relative_to(ROOT)
    for suite, arguments in tests:
        anyway = failing_anyway[suite]
        while asked := [argument for argument in arguments if argument not in anyway]:
            left_out = sorted(anyway)
            copied.write_text(with_slips(slip.text, slip.at))
            failed = failing(copy, suite, *asked, without=left_out)
            copied.write_text(slip.text)
            if not failed:
                break
            # Of a file that cannot be imported any more, those that were asked.
            if not failing(copy, suite, *[argument for argument in asked if argument.split("::")[0] in failed] or failed):
                return failed
            if len(failed) > 1 or failed[0] in left_out:
                raise ValueError(f"these tests do not pass without a slip: {' '.join(failed)}")
            anyway.update(failed)
    return []


def failing_together(slips_left, copy):
    """[(where pytest is run, the tests that fail there)] with several slips at once."""
    for path in {slip.path for slip in slips_left}:
        there = [slip for slip in slips_left if slip.path == path]
        (copy / path.relative_to(ROOT)).write_text(with_slips(there[0].text, *(slip.at for slip in there)))
    failed = [(suite, failing(copy, suite, "--maxfail=0", "-n", "4", *tests, seconds=HOUR)) for suite, tests in SUITES.items()
              if suite == ROOT or any(slip.path.is_relative_to(SIMULATOR) for slip in slips_left)]
    for slip in slips_left:
        (copy / slip.path.relative_to(ROOT)).write_text(slip.text)
    # What a test is called may have a slip in it: there is no such test without.
    there = [(suite, [test for test in tests if not failing(copy, suite, "--collect-only", test)]) for suite, tests in failed]
    return [(suite, tests) for suite, tests in there if tests]


@dataclasses.dataclass
class Slip:
    """One of those that can be made in a module's text: where it is (with_slips), its line, and what it is. The text is that of the copies,
    whatever becomes of the checkout meanwhile."""

    module: str
    text: str
    at: tuple
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
    slips_to_try = list(chosen(options.number, options.seed, options.under))
    data, copies, failing_anyway = entered(), queue.Queue(), collections.defaultdict(set)

    def outcome(slip, tests, unnoticed):
        copy = copies.get()
        try:
            failed = first_to_notice(slip, copy, tests, failing_anyway)
            word, why = ("noticed", failed[0] if len(failed) == 1 else "pytest breaks off") if failed else (unnoticed, "")
        except ValueError as reason:
            word, why = "NOT TRIED", reason
        finally:
            copies.put(copy)
        print(f"{word:<10} {slip}: {why}", flush=True)
        return word

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.at_a_time) as pool:
        for number in range(options.at_a_time):
            copy = Path(folder) / str(number)
            shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(
                ".venv*", ".build", ".git", ".gpu", ".hypothesis", "__pycache__"))
            copies.put(copy)
        outcomes = list(pool.map(lambda slip: outcome(slip, tests_near(slip, data), "not yet"), slips_to_try))
        left = [slip for slip, word in zip(slips_to_try, outcomes) if word == "not yet"]
        tests = failing_together(left, copy) if left else []
        outcomes += pool.map(lambda slip: outcome(slip, tests, "SURVIVED"), left)
    print(", ".join(f"{count} {word}" for word, count in collections.Counter(outcomes).items() if word != "not yet"))


if __name__ == "__main__":
    main()
