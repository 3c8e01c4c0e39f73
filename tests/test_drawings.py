"""The pictures are those that somebody has looked at."""
import pytest

from .drawings import ROOMS, drawings

DRAWINGS = drawings()


@pytest.mark.parametrize("path", DRAWINGS, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_a_picture_is_drawn_as_somebody_has_seen_it(path):
    assert DRAWINGS[path]() == path.read_text(), "It is drawn otherwise. If it should be: .venv/bin/python -m tests.drawings, and look at it"


def test_no_drawing_is_left_over():
    assert {path for room in ROOMS for path in (room / "drawn").iterdir()} == set(DRAWINGS)
