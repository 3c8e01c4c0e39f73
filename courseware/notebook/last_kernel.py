"""How the kernel of this notebook ended before, if a signal ended it: Jupyter says only that it appears to have died.

Python writes where it was when such a signal came (faulthandler) into a file of the notebook's, among Jupyter's files
of the running kernels. The kernel that comes next reads it, and begins it anew. Not here: what ends in a process of its
own (sandbox), and CUDA's errors (sticky_error.py).
"""
import faulthandler
import hashlib
import os
import re
import sys
from pathlib import Path

SENTENCE = ("The kernel that this notebook had before was ended by a signal{place}: {error}.{why} Its variables are "
            "lost, so run the cells from the top. Call what may end like this in a process of its own: "
            "sandbox.run(function).")
WHY = {"Segmentation fault": " It followed an address that the CPU's table has not, such as one of device memory."}

_file = None    # open as long as the process lives


def install():
    """Print how the last kernel ended, if by a signal, and note how this one does. Outside of Jupyter's server nothing
    happens."""
    global _file
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    notebook = os.environ.get("JPY_SESSION_NAME")      # its path: Jupyter's server gives it to each kernel
    if _file or not notebook or not hasattr(shell, "kernel"):
        return
    from jupyter_core.paths import jupyter_runtime_dir
    path = Path(jupyter_runtime_dir()) / f"course-{hashlib.sha256(notebook.encode()).hexdigest()[:16]}.txt"
    try:
        written = path.read_text(errors="replace") if path.exists() else ""
        path.parent.mkdir(parents=True, exist_ok=True)
        _file = path.open("w")
    except OSError:     # a folder that may not be written
        return
    faulthandler.enable(_file, all_threads=False)
    if ending := sentence(written):
        print(ending)


def sentence(written):
    """The sentence for what faulthandler has written; "" for nothing."""
    error = re.search(r"^Fatal Python error: (.+)$", written, re.MULTILINE)
    line = re.search(r'File "[^"]*ipykernel_\d+[^"]*", line (\d+)', written)
    place = f", in line {line[1]} of a cell" if line else ""
    return SENTENCE.format(place=place, error=error[1], why=WHY.get(error[1], "")) if error else ""
