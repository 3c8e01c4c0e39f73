"""A plugin for pytest: what every run of the course's checks shares, notebooks under nbval included.

conftest.py names it, so ``pytest --nbval notebooks`` needs no further option. Not here: fixtures (tests/conftest.py), and how
`make test` calls pytest (bootstrap.py).
"""
import copy
import gc
import os
import signal
import tempfile
import uuid
from pathlib import Path

import folded
import pytest

ROOT = Path(__file__).resolve().parents[1]
SANITISE = ROOT / "tests" / "notebooks" / "sanitise.cfg"
MEANT = {"course_lib": 4_000, "courseware": 20_000}                 # lines of Python
WRITTEN_BY_LEARNERS = ("starters", "solutions", "mistakes")         # folders whose lines are not counted
CELL_SECONDS = 120      # nbval's own 2000 are for notebooks that compute; here a cell that takes a minute hangs
# Files whose tests share what is costly to make: an environment with the course in it, the site's pages; a browser; who imports
# whom; every version of an exercise on the site; what the listed mistakes of a few exercises come to.
WHOLE = ("browser/test_choices.py", "browser/test_follow.py",
         "test_house.py", "test_binder.py", "test_site.py", "test_choices.py", "test_exam_listings.py", "test_nbgrader.py",
         "test_covered.py", "test_check.py")
# A JupyterLab and a page take as long to start as two lessons to run: each half of the lessons has its own, and the gallery the second's.
IN_JUPYTERLAB = ("browser/test_gallery.py", "browser/test_lessons.py")
# Files whose tests of one parameter share it: what an exercise's listed mistakes come to is found out once in a process
# (courseware/exercises/judge.py), for each that needs one of its own, and a plot is drawn once.
BY_PARAMETER = ("test_table.py", "test_attempts.py", "test_plots.py")


def talk_through_sockets(config):
    """Ports are chosen before they are bound, so of kernels that start at the same time one takes another's: nbval's kernels get
    sockets in a folder, whose path has to be short."""
    import nbval.kernel  # only where there are notebooks to run
    from jupyter_client.manager import KernelManager

    folder = tempfile.TemporaryDirectory(prefix="kernels-", ignore_cleanup_errors=True)
    config.add_cleanup(folder.cleanup)
    nbval.kernel.KernelManager = lambda **options: KernelManager(transport="ipc", ip=f"{folder.name}/{uuid.uuid4().hex}", **options)


def pytest_addoption(parser):
    parser.addoption("--twice", action="store_true", help="run every cell of a notebook twice in a row, as learners do; "
                     "both times it has to succeed and to show its stored output")
    parser.addoption("--lessons", choices=["two", "all"], default="all", help="which lessons to open in a browser")


def pytest_configure(config):
    """What nbval may overlook, how long a cell may take, and that the kernel is this Python: unless the command says."""
    # `make test &` in a script has interrupts ignored, in all of its processes; then tests of Ctrl-C would wait for ever.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # So that garbage is looked for every 20,000 new objects and not every 700: that was a twelfth of all processor time.
    gc.set_threshold(20_000, 50, 100)
    config.addinivalue_line("markers", "tiny: of the lane for every save, `make tiny`")
    option = config.option
    if getattr(option, "nbval", False):
        os.environ["COURSE_PROGRESS"] = "off"   # what is stored is what appears where nobody has answered
        option.nbval_sanitize_with = option.nbval_sanitize_with or str(SANITISE)
        option.nbval_current_env = not option.nbval_kernel_name
        if not any(argument.startswith("--nbval-cell-timeout") for argument in config.invocation_params.args):
            option.nbval_cell_timeout = CELL_SECONDS
        talk_through_sockets(config)


def left_out(source):
    """Why a cell prints that it is left out, where the library that it needs does not work here; None where it runs."""
    if not source.startswith("%%needs"):
        return None
    from courseware.notebook import needs  # attaches the driver: only where there is such a cell
    return needs.missing(*source.partition("\n")[0].split()[1:])


def pytest_collection_modifyitems(items):
    for item in items:
        if why := left_out(getattr(getattr(item, "cell", None), "source", "")):
            item.add_marker(pytest.mark.skip(reason=why))


def pytest_collection_finish():
    """What is there by now (modules, the tests themselves) stays to the end: no collection of garbage looks through it.

    Tests that look for leaks collect a thousand times, and took a quarter of a second each time.
    """
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """What answers a prediction is compared as it is kept, folded; and a learner who runs a cell again must not read that a
    prediction which was right is wrong now."""
    if hasattr(item, "cell") and folded.is_folded(item.cell):
        compare = item.compare_outputs
        item.compare_outputs = lambda test, stored: compare([folded.folded(test)], stored)
    if not (item.config.option.twice and hasattr(item, "cell")):
        return (yield)
    stored = copy.deepcopy(item.cell)   # comparing joins the pieces of a stored stream, in place
    result = yield
    item.cell = stored
    try:
        item.runtest()
    except Exception:
        item.add_report_section("call", "run", "This was the cell's second run; the first was in order.")
        raise
    return result


def pytest_terminal_summary(terminalreporter):
    """With the tests of the house, the lines of two packages beside what they are meant to have, for a person to decide."""
    if not any(report.nodeid.startswith("tests/test_house.py") for report in terminalreporter.getreports("passed")):
        return
    counts = {package: sum(len(path.read_text().splitlines()) for path in (ROOT / package).rglob("*.py")
                           if path.parent.name not in WRITTEN_BY_LEARNERS) for package in MEANT}
    terminalreporter.write_line("Lines of Python: " + ", ".join(
        f"{package} {count:,} (meant: about {MEANT[package]:,})" for package, count in counts.items()))


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure():
    """All tests are over. pytest looks for garbage five times more, and the interpreter at its end: of what is garbage by now
    once is enough, and what is left ends with the process."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Workers take one test after the other; but a notebook whole, whose cells need those above them, and what is tested of one
    exercise.

    By files (--dist loadfile) one worker would be idle while the other does a long file. Groups (--dist loadgroup) of
    pytest-xdist 3.8 do not come about with pytest 9.2.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByTestOrNotebook(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.partition("::")[0]
            if file.endswith((".ipynb", *WHOLE)):
                return file
            if file.endswith(IN_JUPYTERLAB):
                lesson = nodeid.partition("[")[2] if file.endswith("test_lessons.py") else "01"
                return f"in JupyterLab {ord(lesson[1]) % 2 if lesson else 0}"
            return nodeid.rpartition("[")[2] if file.endswith(BY_PARAMETER) and nodeid.endswith("]") else nodeid

    return ByTestOrNotebook(config, log)
