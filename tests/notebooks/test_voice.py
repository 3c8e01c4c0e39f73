"""How a lesson is told: few words in brackets, exceptions in the fine print, and a sentence to take home. Not here: cells (rules.py)."""
import json
import re

import pytest

from .test_notebooks import NOTEBOOKS

IN_BRACKETS, IN_FINE_PRINT = 0.04, 0.30     # of a lesson's words
BEFORE_THE_QUESTION = 150                   # words


def cells(path, kind):
    return ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == kind]


def prose(text):
    """Without listings, tables, code, and where links go."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    text = re.sub(r"`[^`]*`", "x", text)
    text = re.sub(r"^\|.*$|<[^>]+>", "", text, flags=re.MULTILINE)
    return re.sub(r"\]\([^)]*\)", "]", text)


def words(text):
    return len(re.findall(r"[A-Za-z0-9][\w'.-]*", text))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_a_lesson_needs_does_not_stand_in_brackets(path):
    text = prose("\n".join(cells(path, "markdown")))
    inside = re.findall(r"\(([^()]*)\)", text)
    assert sum(map(words, inside)) < IN_BRACKETS * words(text), inside


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_lesson_asks_within_its_first_words(path):
    """In its text, below the title, or by a prediction or an exercise."""
    told = ""
    for cell in json.loads(path.read_text())["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            if re.search(r"predict\(|exercises\.show\(", source):
                break
            continue
        before, asked, _ = re.sub(r"^# .*", "", prose(source)).partition("?")
        told += before
        if asked:
            break
    assert words(told) <= BEFORE_THE_QUESTION


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_fine_print_is_the_smaller_part(path):
    text = "\n".join(cells(path, "markdown"))
    fine = text.partition("<summary><b>Fine print</b></summary>")[2].partition("</details>")[0]
    assert 0 < words(prose(fine)) < IN_FINE_PRINT * words(prose(text))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_lesson_ends_with_a_sentence_to_take_home(path):
    said = [text for text in cells(path, "markdown") if "> **What you can say now:** " in text]
    assert len(said) == 1
