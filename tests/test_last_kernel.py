"""A kernel that died: the next one of the same notebook says how, once."""
import os
import sys

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError


def test_the_next_kernel_says_how_the_last_one_ended(tmp_path, monkeypatch, project_root):
    monkeypatch.setenv("JPY_SESSION_NAME", str(tmp_path / "mine.ipynb"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(project_root), *filter(None, [os.environ.get("PYTHONPATH")])]))

    def printed(source):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
        client = NotebookClient(notebook, timeout=600)
        client.create_kernel_manager()
        client.km.kernel_spec.argv[0] = sys.executable
        client.execute()
        return "".join(output.get("text", "") for output in notebook.cells[0].outputs)

    with pytest.raises(DeadKernelError):
        printed("import courseware, ctypes\nctypes.c_int.from_address(8).value")
    report = printed("import courseware")
    assert "in line 2 of a cell: Segmentation fault. It followed an address" in report and "sandbox.run" in report
    assert printed("import courseware") == ""
