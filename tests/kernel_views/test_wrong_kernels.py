"""Wrong kernels that others accepted or published are caught, by their line; repaired, none is accused."""
import pytest

from . import wrong_kernels
from .wrong_kernels import KERNELS, PAGE


@pytest.fixture(scope="module")
def judgements():
    return wrong_kernels.run()


def test_each_of_them_is_caught(judgements):
    assert len(judgements) == len(KERNELS) >= 12
    assert not [kernel.what for kernel, (_, ours, kinds, _) in zip(KERNELS, judgements) if not kinds and ours != "wrong"]


def test_what_the_numbers_may_hide_is_told_by_its_line(judgements):
    for kernel, (_, _, kinds, lines) in zip(KERNELS, judgements):
        assert bool(kinds) == bool(lines), kernel.what
        assert {line.strip() for line in kernel.code.splitlines()} >= set(lines)


def test_with_the_data_of_its_own_course_all_give_the_right_numbers(judgements):
    assert {theirs for theirs, *_ in judgements} == {"right"}


def test_repaired_none_is_accused():
    for kernel, (theirs, ours, kinds, _) in zip(KERNELS, wrong_kernels.run(repaired=True)):
        assert (theirs, ours, kinds) == ("right", "right", []), kernel.what


def test_the_page_has_the_table_of_this_run(judgements):
    assert wrong_kernels.table(judgements) in PAGE.read_text(), f"the table is now:\n\n{wrong_kernels.table(judgements)}"
