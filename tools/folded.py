"""What a cell that answers a prediction shows, in one output behind a fold: as a notebook keeps it that was not run yet.

A fold of HTML, as VS Code, Colab, nbviewer and GitHub know nothing of an output that is folded in JupyterLab. keep_outputs.py keeps
it so; when a notebook is checked (course_pytest.py), what a cell shows is folded before it is compared.
"""
import html

import nbformat

FOLD, END = "<details><summary>Predicted and observed</summary>", "</details>"


def is_folded(cell):
    """Whether what a cell of code shows is to be behind a fold: it answers a prediction, or it was kept so."""
    return ".compare(" in cell.source or any(output.get("data", {}).get("text/html", "").startswith(FOLD) for output in cell.outputs)


def folded(outputs):
    """The one output for these, of a cell that answers a prediction: the comparison, what was printed, what else was shown."""
    data = [output.data for output in outputs if "data" in output]
    data.sort(key=lambda bundle: "Observed: " not in bundle["text/plain"])
    if printed := "".join(output.text for output in outputs if "data" not in output):
        data.insert(1, {"text/plain": printed, "text/html": f"<pre>{html.escape(printed)}</pre>"})
    return nbformat.v4.new_output("display_data", {"text/html": "\n".join([FOLD, *(bundle["text/html"] for bundle in data), END]),
                                                   "text/plain": "\n".join(bundle["text/plain"].rstrip("\n") for bundle in data)})
