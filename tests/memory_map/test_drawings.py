"""The pictures are those that somebody has looked at."""
import pytest

from .drawings import FOLDER, drawings


@pytest.mark.parametrize("name", ["map.html", "map-with-numbers.html", "pages.html", "launches.html"])
def test_a_picture_is_drawn_as_somebody_has_seen_it(name):
    assert drawings()[name] == (FOLDER / name).read_text(), (
        "It is drawn otherwise. If it should be: .venv/bin/python -m tests.memory_map.drawings, and look at it in a browser")


def test_no_drawing_is_left_over():
    assert {path.name for path in FOLDER.iterdir()} == set(drawings())
