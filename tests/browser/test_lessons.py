"""Lessons, opened in JupyterLab by a browser: each runs from top to bottom, and its widgets can be used.

Of widgets of one kind the first is used: what each prediction replies, and each exercise's hints, other tests see without a
browser, and every kind's keys the gallery. A lesson takes five seconds here. So without more words only those are opened that
have, together, every kind of widget, a map of pages and plots; --lessons others opens the others, and --lessons two, for a
JupyterLab of another version, one with predictions, exercises and the picture of addresses, and one with plots. Of a lesson that
fails a screenshot is kept.
"""
import contextlib
from pathlib import Path

import pytest

from . import contrast, using

LESSONS = sorted(path.name for path in (Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
# The first with each kind of widget; and 07, with a map of pages, and plots.
SOME = [name for name in LESSONS if name.partition("_")[0] in {"00", "01", "02", "02b", "03b", "05", "06b", "07"}]
OPENED = {"two": ["00_two_views_of_one_memory.ipynb", "02c_bandwidth.ipynb"], "some": SOME,
          "others": [name for name in LESSONS if name not in SOME], "all": LESSONS}


@pytest.fixture(scope="module")
def used():
    """The kinds of widgets that were used."""
    return set()


@pytest.fixture
def shown(show, keep):
    """``with shown(lesson) as lab``: the lesson is open, and a screenshot is kept if something fails."""
    @contextlib.contextmanager
    def show_one(lesson):
        lab = show(lesson)
        try:
            yield lab
        except Exception:
            keep(lab, lesson.removesuffix(".ipynb"))
            raise
    return show_one


def pytest_generate_tests(metafunc):
    if "lesson" in metafunc.fixturenames:
        metafunc.parametrize("lesson", OPENED[metafunc.config.option.lessons])


def test_a_lesson_runs_in_the_browser_and_its_widgets_answer(lesson, shown, used):
    with shown(lesson) as lab:
        lab.run_all()
        assert lab.errors() == []
        assert [cell["source"] for cell in lab.code_cells() if not cell["count"]] == []
        for widget in lab.widgets().all():
            assert widget.inner_text().strip()
            if (kind := using.kind(widget)) not in used:
                used.add(kind)
                using.use_every_control(lab, widget)
        assert lab.cut_off() == []
        assert lab.errors() == [] and "Traceback (most recent call last)" not in lab.text()
        assert [text for text in contrast.texts(lab) if text.ratio < contrast.ENOUGH] == []
        assert lab.complaints == []
