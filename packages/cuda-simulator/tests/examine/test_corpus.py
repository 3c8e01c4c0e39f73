"""Kernels with mistakes and without, published races among them: every mistake is found, at its lines, and no clean kernel is accused."""
import json
import subprocess
import sys

import pytest

from . import table
from .corpus import CASES, PUBLISHED, RACES


def run_kernels(*arguments):
    """All findings, of one process that ran the kernels."""
    result = subprocess.run([sys.executable, "-W", "ignore", "-m", "tests.examine.run_corpus", *arguments], capture_output=True, text=True,
                            timeout=300)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])     # before it, what a kernel printed


@pytest.fixture(scope="module")
def findings_of():
    return run_kernels()


EVERY = CASES | PUBLISHED


@pytest.mark.parametrize("name", EVERY)
def test_what_is_wrong_is_found_and_nothing_else(name, findings_of):
    assert {finding["kind"] for finding in findings_of[name]} == EVERY[name].expected, [finding["text"] for finding in findings_of[name]]


@pytest.mark.parametrize("name", [name for name, case in EVERY.items() if case.expected])
def test_a_finding_names_lines_of_the_source_and_the_threads(name, findings_of):
    lines = EVERY[name].source.splitlines()
    for finding in findings_of[name]:
        assert finding["kernel"] == "k" and finding["remedy"] and finding["count"] >= 1 and finding["threads"]
        for file, line in finding["lines"]:
            assert file == "kernel.cu" and lines[line - 1].strip()
        if finding["kind"] == "race":
            assert finding["element"] in finding["message"] and len(finding["threads"]) == 2


OF_A_BLOCK = ["async_copy_not_waited_for", "barrier_in_branch", "barriers_in_both_branches", "counted_barrier_not_waited_for",
              "early_return_before_barrier", "lock_of_a_block", "named_barriers", "named_barrier_of_the_wrong_half", "return_before_full_shuffle", "syncwarp_of_halves",
              "syncwarp_of_wrong_halves"]


def test_in_the_second_of_two_blocks_the_same_is_found(findings_of):
    in_second = run_kernels("--second", *OF_A_BLOCK)
    for name in OF_A_BLOCK:
        assert all(block == [1, 0, 0] for finding in in_second[name] for block, _ in finding["threads"])
        first, second = [[(finding["kind"], finding["lines"]) for finding in findings[name]] for findings in (findings_of, in_second)]
        assert first == second, name


def test_there_are_at_least_sixty_of_them_of_every_kind():
    kinds = [case.expected for case in CASES.values()]
    assert len(kinds) >= 60 and sum(not kinds_ for kinds_ in kinds) >= 25
    assert {"race", "barrier", "shuffle", "uninitialised", "out-of-bounds"} == frozenset().union(*kinds)


@pytest.mark.parametrize("name", RACES)
def test_a_published_race_is_found_by_its_lines_alone(name, findings_of):
    assert RACES[name].url.startswith("https://github.com/") and RACES[name].marked
    assert {line for finding in findings_of[name] for _, line in finding["lines"]} <= RACES[name].marked


def test_the_page_of_kernels_says_what_the_corpus_has():
    assert table.KERNELS_PAGE.read_text() == table.kernels_page(), "python -m tests.examine.table"


def test_the_page_of_published_races_says_what_is_found(findings_of):
    assert len(RACES) == 50
    assert table.published_table(findings_of) in table.PAGE.read_text(), f"the table is now:\n\n{table.published_table(findings_of)}"
