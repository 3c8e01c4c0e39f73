"""Pictures that somebody has looked at, as text: in the folder drawn/ of the tests of what draws them.

    .venv/bin/python -m tests.drawings      draws them all anew: look at each that differs before you keep it

Each room has a drawings.py, whose `drawings()` is {name of a file: a function that gives its text}.
"""
import importlib
from pathlib import Path

ROOMS = [path.parent for path in sorted(Path(__file__).parent.glob("*/drawings.py"))]


def drawings():
    """{path: a function that gives its text}, of every room."""
    return {room / "drawn" / name: draw for room in ROOMS
            for name, draw in importlib.import_module(f"tests.{room.name}.drawings").drawings().items()}


if __name__ == "__main__":
    for path, draw in drawings().items():
        path.write_text(draw())
