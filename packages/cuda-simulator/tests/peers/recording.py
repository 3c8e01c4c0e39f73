"""A plugin for pytest: writes what comes of each test to the file PEER_RESULTS, line by line, and leaves out what is there.

A test that ends the process has begun and not ended there. So a second run goes on behind it.
"""
import json
import os
from pathlib import Path

RESULTS = Path(os.environ["PEER_RESULTS"])
RANKS = ["passed", "skipped", "xfailed", "failed"]      # of a test's three phases the last of these counts
_phases = {}


def _note(**line):
    with RESULTS.open("a") as file:
        print(json.dumps(line), file=file)


def pytest_collection_modifyitems(config, items):
    recorded = {json.loads(line)["test"] for line in RESULTS.read_text().splitlines()} if RESULTS.exists() else set()
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in recorded])
    items[:] = [item for item in items if item.nodeid not in recorded]


def pytest_collectreport(report):
    if report.failed or report.skipped:
        _note(test=report.nodeid or "collection", outcome=report.outcome, why=_why(report), lacks=[])


def pytest_runtest_logstart(nodeid):
    _phases[nodeid] = ("passed", "")
    _note(test=nodeid, outcome="began")


def pytest_runtest_logreport(report):
    if report.outcome == "rerun":       # pytest-rerunfailures tries it again
        return
    outcome = "xfailed" if report.outcome == "skipped" and hasattr(report, "wasxfail") else report.outcome
    if RANKS.index(outcome) > RANKS.index(_phases[report.nodeid][0]):
        _phases[report.nodeid] = (outcome, _why(report))
    if report.when == "teardown":
        outcome, why = _phases.pop(report.nodeid)
        lacks = [lack for name, lack in report.user_properties if name == "cuda_simulator_lacks"]
        _note(test=report.nodeid, outcome=outcome, why=why, lacks=lacks)


def _why(report):
    """The message of an error in one line, or the reason of a skip."""
    if report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(getattr(report, "wasxfail", ""))
        return reason.removeprefix("Skipped: ")[:200]
    crash = getattr(report.longrepr, "reprcrash", None)
    return " ".join((crash.message if crash else str(report.longrepr).strip().rpartition("\n")[2]).split())[:300]
