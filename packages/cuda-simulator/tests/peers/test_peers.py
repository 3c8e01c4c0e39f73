"""Other projects' tests are run and counted: shown on a project of five tests, for theirs take minutes."""
import re
from pathlib import Path

from . import counting, running, suites

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import os, pytest
from cuda.bindings import driver

def test_passes():
    assert not driver.cuInit(0)[0]

def test_ends_the_process():
    os._exit(1)         # as faulthandler does where a test runs out of time

def test_graph():
    driver.cuInit(0)
    assert not driver.cuGraphCreate(0)[0]

@pytest.mark.skipif(True, reason="no such GPU")
def test_skipped():
    pass

@pytest.mark.xfail(reason="known")
def test_known():
    assert False

def test_wrong():
    assert 1 == 2, "wrong"

def test_left_out():
    assert False
"""


def test_each_test_is_counted_once_and_one_that_ends_the_process_keeps_none_from_being_run(tmp_path):
    suite = suites.Suite("numpy", "", "{}", "tests", ("test_it.py",), {"test_it.py::test_left_out": "for this test"})
    folder = tmp_path / f"numpy-{suite.version}" / "tests"
    folder.mkdir(parents=True)
    (folder / "test_it.py").write_text(TESTS)
    results, whole, processor = running.results(suite, tmp_path, seconds=100)
    counts = counting.counts_of(results)
    assert whole and processor > 0
    assert counts["outcomes"] == {"passed": 1, "failed": 3, "skipped": 1, "xfailed": 1}
    assert counts["failed"] == {"graphs and captured streams": 1, counting.OTHER: 2}
    assert counts["functions"] == {"cuGraphCreate": 1} and counts["skipped"] == {"no such GPU": 1}
    assert counts[counting.OTHER] == {"test_it.py::test_ends_the_process": "ended the process",
                                      "test_it.py::test_wrong": "AssertionError: wrong assert 1 == 2"}


def test_a_suite_that_is_stopped_says_so_and_its_last_test_is_not_counted(tmp_path):
    suite = suites.Suite("numpy", "", "{}", "tests", ("test_it.py",))
    folder = tmp_path / f"numpy-{suite.version}" / "tests"
    folder.mkdir(parents=True)
    (folder / "test_it.py").write_text("import time\n\ndef test_quick(): pass\n\ndef test_slow(): time.sleep(600)\n")
    results, whole, _ = running.results(suite, tmp_path, seconds=5)
    assert not whole and {test for test in results} <= {"test_it.py::test_quick"}
    table = counting.table({"numpy": {"version": "2", "date": "today", "whole": whole, **counting.counts_of(results)}})
    assert "| numpy 2, the first of them | today |" in table


def test_the_document_shows_the_last_counts_and_names_what_is_left_out():
    text = (ROOT / "docs" / "other-projects.md").read_text()
    assert counting.table(counting.saved_counts()) in text
    assert counting.left_out() in text and counting.missing_functions(counting.saved_counts()) in text
    assert set(counting.saved_counts()) <= suites.SUITES.keys() and re.search(r"python -m tests\.peers`", text)
