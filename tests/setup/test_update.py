"""What follows from the lessons is written into the documents by `make update`, and is not stale."""
import re

from courseware.course import LESSONS

import pytest
import update


@pytest.mark.parametrize("document", update.DOCUMENTS)
def test_a_document_says_what_the_lessons_say(document):
    text = (update.ROOT / document).read_text("utf-8")
    assert update.updated(text) == text, "run `make update`"
    assert text.count("<!-- from the lessons:") == text.count("<!-- end -->") == len(update.DERIVED.findall(text))


def test_a_stale_table_is_made_anew_and_what_stands_around_it_stays():
    text = "before <!-- from the lessons: number of listings -->1<!-- end --> after"
    assert re.fullmatch(r"before <!-- .* -->\d\d<!-- end --> after", update.updated(text))


def test_a_lesson_that_says_what_one_can_do_afterwards_says_three_things():
    for lesson in LESSONS:
        assert len(lesson.objectives) == 3, lesson.topic
        assert all(objective[0].isupper() and objective[-1] == "." for objective in lesson.objectives)


def test_a_document_that_is_a_link_is_left_as_it_is_and_so_is_what_it_leads_to(tmp_path, monkeypatch):
    stale = "<!-- from the lessons: number of listings -->1<!-- end -->"
    (tmp_path / "theirs.md").write_text(stale)
    (tmp_path / "README.md").symlink_to("theirs.md")
    monkeypatch.setattr(update, "ROOT", tmp_path)
    monkeypatch.setattr(update, "DOCUMENTS", ["README.md"])
    assert "is a link" in update.main([])
    assert (tmp_path / "theirs.md").read_text() == stale and (tmp_path / "README.md").is_symlink()
