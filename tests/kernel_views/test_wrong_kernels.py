"""Wrong kernels that others accepted or published are caught, by their line; repaired, none is accused."""
import pytest

from . import wrong_kernels
from .wrong_kernels import KERNELS, PAGE


@pytest.fixture(scope="module")
def found():
    return wrong_kernels.run()


def test_each_of_them_is_caught(found):
    assert len(found) == len(KERNELS) >= 12
    assert not [one.what for one, (_, ours, kinds, _) in zip(KERNELS, found) if not kinds and ours != "wrong"]


def test_what_the_numbers_may_hide_is_told_by_its_line(found):
    for one, (_, _, kinds, lines) in zip(KERNELS, found):
        assert bool(kinds) == bool(lines), one.what
        assert {line.strip() for line in one.code.splitlines()} >= set(lines)


def test_with_the_data_of_its_own_course_all_give_the_right_numbers(found):
    assert {theirs for theirs, *_ in found} == {"right"}


def test_repaired_none_is_accused():
    for one, (theirs, ours, kinds, _) in zip(KERNELS, wrong_kernels.run(repaired=True)):
        assert (theirs, ours, kinds) == ("right", "right", []), one.what


def test_the_page_has_the_table_of_this_run(found):
    assert wrong_kernels.table(found) in PAGE.read_text(), f"the table is now:\n\n{wrong_kernels.table(found)}"
