"""Every cell of every notebook can be run twice in a row, and says the same the second time.

A learner who runs a cell again must not read that a prediction which was right is wrong now. What may differ between two
runs is what nbval overlooks too (sanitise.cfg); cells whose outputs it does not compare only have to succeed.
"""
import configparser
import os
import re
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import conftest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def patterns():
    """[(regex, replacement)] of sanitise.cfg."""
    found = configparser.ConfigParser()
    found.read(Path(__file__).with_name("sanitise.cfg"))
    return [(section["regex"], section["replace"]) for section in map(found.__getitem__, found.sections())]


PATTERNS = patterns()


def told(outputs):
    """What a cell shows, as text, without what may differ: streams joined, displays in order."""
    texts, streaming = [], False
    for output in outputs:
        streamed, streaming = streaming, output.output_type == "stream"
        if streaming and streamed:      # one stream may come in pieces
            texts[-1] += output.text
        elif streaming:
            texts.append(output.text)
        elif output.output_type == "error":
            texts.append(f"{output.ename}: {output.evalue}")
        else:
            texts.append(str(output.data.get("text/plain", "")))
    text = "\n".join(texts)
    for regex, replacement in PATTERNS:
        text = re.sub(regex, replacement, text)
    return text


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_says_the_same_when_it_is_run_again(path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]))
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=120, kernel_name="python3", allow_errors=True, resources={"metadata": {"path": path.parent}})
    client.create_kernel_manager()
    client.km.kernel_spec.argv[0] = sys.executable
    differs = []
    with client.setup_kernel():
        for number, cell in enumerate(notebook.cells):
            if cell.cell_type != "code":
                continue
            stored = told(cell.outputs)
            compared = "nbval-ignore-output" not in cell.metadata.get("tags", []) and not conftest.left_out(cell.source)
            for run in "first", "second":
                client.execute_cell(cell, number)
                failed = any(output.output_type == "error" for output in cell.outputs) and "raises-exception" not in cell.metadata.get("tags", [])
                if failed or compared and told(cell.outputs) != stored:
                    differs.append(f"cell {number}, {run} run: {told(cell.outputs)[-400:]}")
    assert not differs, "\n\n".join(differs)
