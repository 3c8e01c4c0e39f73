"""The drawn pictures: each is in the notebook that names it, in its present version, with words for who does not see it."""
import base64
import json
import re

import draw_pictures
import pytest

from .test_notebooks import NOTEBOOKS

NAMING = [path for path in NOTEBOOKS if "attachment:" in path.read_text()]


@pytest.mark.parametrize("path", NAMING, ids=lambda path: path.stem)
def test_a_notebook_has_the_pictures_that_it_names(path):
    for cell in json.loads(path.read_text())["cells"]:
        source = "".join(cell["source"])
        named = draw_pictures.NAMED.findall(source)
        kept = cell.get("attachments", {})
        assert {f"{name}.png" for name in named} == set(kept)
        for name in named:
            png = base64.b64decode(kept[f"{name}.png"]["image/png"])
            assert draw_pictures.kept_sum(png) == draw_pictures.source_sum(name), "run tools/draw_pictures.py"
        for words in re.findall(r"!\[([^]]*)\]\(attachment:", source):
            assert len(words.split()) > 8, "words for who does not see the picture"


def test_every_drawing_is_in_a_notebook():
    named = {name for path in NAMING for name in draw_pictures.NAMED.findall(path.read_text())}
    assert {path.stem for path in draw_pictures.PICTURES.glob("*.svg")} == named
