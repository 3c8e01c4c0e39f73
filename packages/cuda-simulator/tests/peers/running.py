"""A suite over the simulated driver: each test once, whatever the others do."""
import importlib.util
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENDED = "ended the process"
CRASHES = 60            # so many may end the process before a suite is given up
WITHOUT = ("xdist", "nbval", "anyio", "hypothesispytest", "cacheprovider")     # plugins that are here, and are no part of it


def sources(suite, folder):
    """Where the suite's tests are run: fetched into `folder`, at the version that is installed, unless they are there."""
    if not suite.folder:
        return Path(importlib.util.find_spec(suite.project).origin).resolve().parents[1]
    return fetch(suite.repository, suite.tag.format(suite.version), Path(folder) / f"{suite.project}-{suite.revision}") / suite.folder


def fetch(repository, revision, folder):
    """The files of a GitHub repository, at a tag or a commit, in `folder`, unless that exists; returns it."""
    if not folder.exists():
        git = ["git", "-C", str(folder)]
        subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
        subprocess.run([*git, "fetch", "--quiet", "--depth", "1", f"https://github.com/{repository}", revision], check=True)
        subprocess.run([*git, "checkout", "--quiet", "FETCH_HEAD"], check=True)
    return folder


def results(suite, folder, seconds, only=(), test_seconds=300):
    """Run the suite; returns what came of each test, {test: {"outcome", "why", "lacks"}}, whether all of it was run, and the
    seconds of processor time that this took.

    folder:  of sources, and of the file with the results
    seconds: for the whole suite; what was not reached by then is not in the results, nor is the test that it was at
    only:    further arguments of pytest: -k and an expression
    test_seconds: a test that takes longer counts as one that ends the process
    """
    # Resolved: of tests behind a link pytest gives names without their file, and names of two files would be one.
    sources_folder = sources(suite, folder).resolve()
    results_file = Path(folder).resolve() / f"{suite.name}-{suite.version}.jsonl".replace(" ", "-")
    results_file.unlink(missing_ok=True)
    end, processor_start = time.monotonic() + seconds, processor_seconds()
    driver = () if suite.own_simulator else ("-p", "cuda_simulator.pytest_plugin", "--cuda-simulator")
    environment = {"NUMBA_ENABLE_CUDASIM": "1"} if suite.own_simulator else {}
    command = [sys.executable, "-m", "pytest", "-q", *driver, *suite.options,
               "-p", "tests.peers.recording", *(f"-pno:{name}" for name in WITHOUT), f"--rootdir={sources_folder}", "--tb=short",
               "-o", f"faulthandler_timeout={test_seconds}", "-o", "faulthandler_exit_on_timeout=true",
               "--continue-on-collection-errors", *(f"--{'deselect' if '::' in name else 'ignore'}={name}" for name in suite.left_out),
               *suite.paths, *only]
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    for _ in range(CRASHES):
        with open(results_file.with_suffix(".log"), "a") as log:
            try:
                status = subprocess.run(command, cwd=sources_folder, stdout=log, stderr=log, timeout=max(end - time.monotonic(), 1),
                                        env={**os.environ, **environment, "PYTHONPATH": path, "PEER_RESULTS": str(results_file)}).returncode
            except subprocess.TimeoutExpired:
                reached = {test: result for test, result in read(results_file).items() if result["outcome"] != ENDED}
                return reached, False, processor_seconds() - processor_start
        # Passed, failed, none left; or nothing that could go on. A test that ran out of time ends the process with 1 as well.
        if status in (0, 1, 5) and not went_down(results_file) or not read(results_file):
            break
    return read(results_file), True, processor_seconds() - processor_start


def processor_seconds():
    """Of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def went_down(results_file):
    """Whether the last test that began never ended."""
    lines = results_file.read_text().splitlines() if results_file.exists() else ()
    return bool(lines) and json.loads(lines[-1])["outcome"] == "began"


def read(results_file):
    """The lines of a file of results, by test: a test that began and did not end ended the process."""
    by_test = {}
    for line in results_file.read_text().splitlines() if results_file.exists() else ():
        entry = json.loads(line)
        by_test[entry["test"]] = {"why": "", "lacks": []} | entry
        if entry["outcome"] == "began":
            by_test[entry["test"]]["outcome"] = ENDED
    return by_test
