"""The drawn pictures: each is in the notebook that names it, in its present version, with words for who does not see it."""
import base64
import json
import re

import draw_pictures
import pytest

from .test_notebooks import NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_a_drawn_picture_and_those_that_it_names(path):
    assert draw_pictures.NAMED.search(path.read_text())
    for cell in json.loads(path.read_text())["cells"]:
        source = "".join(cell["source"])
        named = draw_pictures.NAMED.findall(source)
        attachments = cell.get("attachments", {})
        assert {f"{name}.png" for name in named} == set(attachments), "run tools/draw_pictures.py"
        for name in named:
            png = base64.b64decode(attachments[f"{name}.png"]["image/png"])
            assert draw_pictures.kept_sum(png) == draw_pictures.source_sum(name), "run tools/draw_pictures.py"
        for words in re.findall(r"!\[([^]]*)\]\(attachment:", source):
            assert words.strip(), "words for readers who cannot see the picture"


def test_a_picture_without_a_drawing_and_a_machine_without_a_chromium_get_a_sentence(tmp_path, monkeypatch):
    notebook = tmp_path / "a.ipynb"
    notebook.write_text("![a page](attachment:nowhere.png)")
    assert "no docs/pictures/nowhere.svg to draw it from" in draw_pictures.main([notebook])
    monkeypatch.setenv("CHROMIUM", "/nowhere")
    assert "sudo apt install chromium" in draw_pictures.main([NOTEBOOKS[0]])


def test_every_drawing_is_in_a_notebook():
    named = {name for path in NOTEBOOKS for name in draw_pictures.NAMED.findall(path.read_text())}
    assert {path.stem for path in draw_pictures.PICTURES.glob("*.svg")} == named
