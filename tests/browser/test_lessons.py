"""Every lesson, opened in JupyterLab by a browser: it runs from top to bottom, and its widgets can be used.

Of widgets of one kind the first of all lessons is used: what each prediction replies, and each exercise's hints, other tests
see without a browser, and every kind's keys the gallery. With --few-lessons two lessons are opened, for a JupyterLab of another
version: one with predictions, exercises and the picture of addresses, and one with plots. Of a lesson that fails a screenshot is
kept.
"""
import contextlib
from pathlib import Path

import pytest

from . import contrast, using

LESSONS = sorted(path.name for path in (Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
FEW = "00_two_views_of_one_memory.ipynb", "02c_bandwidth.ipynb"


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
        metafunc.parametrize("lesson", FEW if metafunc.config.option.few_lessons else LESSONS)


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
