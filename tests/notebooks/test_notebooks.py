"""Every notebook is in order, and the rules that say so refuse what they should."""
import copy
import json
from pathlib import Path

import folded
import nbformat
import pytest

from .rules import FINE_PRINT, complaints

ROOT = Path(__file__).resolve().parents[2]

ROAD = sorted((ROOT / "notebooks").glob("*.ipynb"))
SIDE_TRIPS = sorted((ROOT / "notebooks" / "side_trips").glob("*.ipynb"))
NOTEBOOKS = [*ROAD, *SIDE_TRIPS]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_in_order(path):
    notebook = json.loads(path.read_text())
    nbformat.validate(notebook)
    assert complaints(notebook, path.parent) == []


def test_there_are_notebooks():
    assert NOTEBOOKS


# The rules themselves -------------------------------------------------------------------------------------------------

def code(source, count, outputs=(), **metadata):
    return {"cell_type": "code", "source": source, "execution_count": count, "outputs": list(outputs), "metadata": metadata}


def text(source):
    return {"cell_type": "markdown", "source": source, "metadata": {}}


def display(data):
    return {"output_type": "display_data", "data": {"text/plain": "", **data}, "metadata": {}}


STREAM = {"output_type": "stream", "name": "stdout", "text": "the answer"}
COMPARISON = display({"text/html": folded.FOLD})
ERROR = {"output_type": "error", "ename": "LogicError", "evalue": "", "traceback": []}
GOOD = {"metadata": {"kernelspec": {"name": "python3"}},
        "cells": [text("# A title\n\n```\n# no title\n```\nWhat is [here](test_notebooks.py)?"), code("1 + 1", 1), code("2", 2),
                  text(f"> **What you can say now:** this.\n\n{FINE_PRINT}more\n\n</details>")]}


def changed(change):
    notebook = copy.deepcopy(GOOD)
    change(notebook["cells"], notebook["metadata"])
    return complaints(notebook, ROOT / "tests" / "notebooks")


def test_a_notebook_that_was_executed_from_top_to_bottom_is_in_order():
    assert changed(lambda cells, metadata: None) == []


@pytest.mark.parametrize("expected, change", [
    ("code cell 2 was not executed", lambda cells, metadata: cells[2].update(execution_count=None)),
    ("not executed once each from top to bottom: [2, 1]",
     lambda cells, metadata: (cells[1].update(execution_count=2), cells[2].update(execution_count=1))),
    ("not executed once each from top to bottom: [1, 3]", lambda cells, metadata: cells[2].update(execution_count=3)),
    ("an empty code cell", lambda cells, metadata: cells.append(code("", None))),
    ("no code cell", lambda cells, metadata: cells.__delitem__(slice(1, 3))),
    ("ended in LogicError without the tag", lambda cells, metadata: cells[1].update(outputs=[ERROR])),
    ("raised none", lambda cells, metadata: cells[1].update(metadata={"tags": ["raises-exception"]})),
    ("0 titles", lambda cells, metadata: cells[0].update(source="no title?")),
    ("2 titles", lambda cells, metadata: cells[0].update(source="# one?\n# two")),
    ("the link to 01.ipynb leads nowhere", lambda cells, metadata: cells[0].update(source="# t?\n[next](01.ipynb)")),
    ("level 3 follows one of level 1", lambda cells, metadata: cells[0].update(source="# t?\n### too deep")),
    ("a line of 111 characters", lambda cells, metadata: cells[1].update(source="x" * 111)),
    ("it asks no question", lambda cells, metadata: cells[0].update(source="# t")),
    ("there are 0 of '> **What you can say now:** '", lambda cells, metadata: cells[3].update(source=f"{FINE_PRINT}more\n\n</details>")),
    ("there are 2 of '<details>", lambda cells, metadata: cells.append(text(f"{FINE_PRINT}more\n\n</details>"))),
    ("1 of 2 code cells are not compared",
     lambda cells, metadata: cells[1].update(source="# Differs from run to run: a time.\n1", metadata={"tags": ["nbval-ignore-output"]})),
    ("has no comment that begins '# Differs from '", lambda cells, metadata: cells.extend(
        code("3", count, **({"tags": ["nbval-ignore-output"]} if count == 3 else {})) for count in range(3, 7))),
    ("is compared and has a comment that begins '# Differs from '",
     lambda cells, metadata: cells[1].update(source="# Differs from run to run: no.\n1")),
    ("asks the simulated driver and has no comment", lambda cells, metadata: cells[1].update(source="kernel_views.examine(one)")),
    ("is not folded", lambda cells, metadata: cells[1].update(source="question.compare(1)", outputs=[COMPARISON, STREAM])),
    ("no folded explanation", lambda cells, metadata: (
        cells[1].update(source="question.compare(1)", outputs=[COMPARISON]),
        cells.insert(2, text("Because.")))),
    ("a fold is not written", lambda cells, metadata: cells.append(text("<details>\n<summary>Explain</summary>\n\nso\n\n</details>"))),
    ("an image without", lambda cells, metadata: cells[1].update(outputs=[display({"image/png": "iVBO"})])),
    ("an image without", lambda cells, metadata: cells[1].update(outputs=[display({"text/html": "<img src='x'>"})])),
    ("state of widgets", lambda cells, metadata: metadata.update(widgets={})),
    ("times of execution", lambda cells, metadata: cells[1].update(metadata={"execution": {}})),
    ("its kernel is not python3", lambda cells, metadata: metadata["kernelspec"].update(name="conda-env")),
])
def test_a_notebook_is_refused(expected, change):
    refusals = changed(change)
    assert len(refusals) == 1 and expected in refusals[0]


def test_an_error_that_the_cell_announces_is_in_order():
    assert changed(lambda cells, metadata: cells[1].update(
        outputs=[ERROR], metadata={"tags": ["raises-exception"]})) == []
