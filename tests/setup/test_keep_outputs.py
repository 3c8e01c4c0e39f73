"""Keeping outputs: a notebook that cannot be run ends in a sentence, and stays as it is."""
import json

import keep_outputs
import pytest
from jupyter_client.kernelspec import KernelSpecManager

RAISES = {"cells": [{"cell_type": "code", "id": "a", "source": "1 / 0", "outputs": [], "execution_count": None, "metadata": {}}],
          "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@pytest.mark.parametrize("content, reason", [
    (None, "No such file"),
    ("{", "is not a notebook"),
    ("[]", "is not a notebook"),
    (b"\xff\xfe", "is not a notebook"),
    (json.dumps({"cells": [{}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), "is not a notebook"),
    (json.dumps(RAISES), "division by zero"),
])
def test_a_notebook_that_cannot_be_run_is_named_and_left_as_it_is(tmp_path, content, reason):
    path = tmp_path / "a.ipynb"
    content = content.encode() if isinstance(content, str) else content
    if content is not None:
        path.write_bytes(content)
    sentence = keep_outputs.main([str(path)])
    assert reason in sentence and str(path) in sentence
    assert (path.read_bytes() if path.exists() else None) == content


def test_a_notebook_behind_a_link_is_not_run(tmp_path):
    (tmp_path / "a.ipynb").write_text(json.dumps(RAISES))
    (tmp_path / "link.ipynb").symlink_to("a.ipynb")
    assert "is a link" in keep_outputs.main([str(tmp_path / "link.ipynb")])


def test_a_python_without_a_kernel_is_told_which_has_one(tmp_path, monkeypatch):
    (tmp_path / "a.ipynb").write_text(json.dumps(RAISES))
    monkeypatch.setattr(KernelSpecManager, "_find_spec_directory", lambda *_: None)
    assert ".venv/bin/python" in keep_outputs.main([str(tmp_path / "a.ipynb")])


def test_without_a_notebook_it_says_what_it_does():
    assert keep_outputs.main([]) == keep_outputs.main(["--help"]) == keep_outputs.__doc__
