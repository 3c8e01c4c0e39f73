"""A notebook of the tests' own that shows every widget of the course, one a cell."""
import nbformat

START = """\
import course_lib
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from course_lib import explorers
pinned = cuda.pagelocked_empty(100, np.int32)
on_device = cuda.mem_alloc(64)"""

# name -> the cell that shows it
WIDGETS = {
    "pinned flags": "explorers.pinned_flags()",
    "reservation steps": "explorers.reservation_steps()",
    "address": "explorers.address()",
}


def write(folder):
    """Write the notebook into a folder; returns the file's name."""
    cells = [nbformat.v4.new_code_cell(source) for source in (START, *WIDGETS.values())]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    nbformat.write(notebook, folder / "gallery.ipynb")
    return "gallery.ipynb"
