"""Run notebooks and keep their outputs, as "Restart Kernel and Run All Cells" and saving in JupyterLab would:

    .venv/bin/python tools/keep_outputs.py notebooks/05_mapped_memory.ipynb ...

No learner's record takes part, and neither times nor the state of widgets are kept. What a cell shows that answers a prediction
is kept behind a fold (folded.py). The source of a cell that only asks a question, or shows an exercise or what was done, is hidden: its
output is what is read.
"""
import os
import re
import sys
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import NoSuchKernel
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import course_pytest  # noqa: E402
from folded import folded, is_folded  # noqa: E402

from course_files import NotOurs, refuse_link, write_whole  # noqa: E402

PLUMBING = re.compile(r'(?:from courseware import \w+|\w+ = predict\("[\w-]+"\)|exercises\.show\("[\w-]+"\)|'
                      r'progress\.lesson\("[\w-]+"\)|\n)+')


def keep(path):
    """Run one notebook from its first cell to its last, in this Python, and write it back.

    Raises ValueError for what is no notebook, NotOurs for a link and if it was saved meanwhile, what nbclient raises if it does not
    run to its end, and OSError.
    """
    refuse_link(path)
    before = path.read_bytes()
    try:
        notebook = nbformat.reads(before.decode(), as_version=4)
        nbformat.validate(notebook)
    except (ValueError, AttributeError, KeyError, nbformat.ValidationError) as error:
        raise ValueError(f"{path} is not a notebook that can be run ({str(error).splitlines()[0]}).") from None
    client = NotebookClient(notebook, timeout=120, kernel_name="python3", store_widget_state=False, record_timing=False,
                            resources={"metadata": {"path": str(path.resolve().parent)}})
    client.create_kernel_manager()
    client.km.kernel_spec.argv[0] = sys.executable
    # What does not work on this machine keeps the outputs that it had where it did.
    outputs_of = {cell.id: cell.outputs for cell in notebook.cells if course_pytest.left_out(cell.source)}
    answers = {cell.id for cell in notebook.cells if cell.cell_type == "code" and is_folded(cell)}
    client.execute()
    for cell in notebook.cells:
        if cell.cell_type == "code" and PLUMBING.fullmatch(cell.source):
            cell.metadata.setdefault("jupyter", {})["source_hidden"] = True
        if cell.id in outputs_of:
            cell.outputs = outputs_of[cell.id]
        elif cell.id in answers:
            cell.outputs = [folded(cell.outputs)]
    if path.read_bytes() != before:
        raise NotOurs(f"{path} was saved while it ran, and is left as it is. Run this command again.")
    write_whole(path, nbformat.writes(notebook) + "\n")


def main(names):
    """Keep the outputs of these notebooks; returns the exit status, or a sentence that says what went wrong."""
    if not names or names[0].startswith("-"):
        return __doc__
    for name in names:
        try:
            keep(Path(name))
        except NoSuchKernel:
            return "This Python has no Jupyter kernel. Run this with .venv/bin/python, which `make setup` makes."
        except (CellControlSignal, DeadKernelError) as error:
            return f"{error}\n{name} does not run to its end, and is left as it is."
        except (NotOurs, ValueError, OSError) as error:
            return str(error)
        print(name)
    return 0


if __name__ == "__main__":
    os.environ["COURSE_PROGRESS"] = "off"
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    sys.exit(main(sys.argv[1:]))
