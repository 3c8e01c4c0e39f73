"""A cell that uses a name which an earlier cell makes says how to run what comes before it.

Who opens a notebook and runs a cell in its middle, or restarts the kernel and goes on, gets a NameError, and Python cannot know that a cell
makes the name. Not here: PyCUDA before the set-up cell, where nothing of the course is loaded (tools/pycuda_import_hint.py).
"""
import sys

SENTENCE = ("If an earlier cell makes `{name}`, run the cells before this one, from the set-up cell on: Run > Run All Above Selected Cell.")


def install():
    """Have this notebook's kernel look after each failed cell. `import courseware` calls it; elsewhere it does nothing."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell and look not in shell.events.callbacks["post_run_cell"]:
        shell.events.register("post_run_cell", look)


def look(result):
    """IPython's `post_run_cell`: print the sentence if the cell failed by a name that is not defined."""
    if isinstance(result.error_in_exec, NameError) and result.error_in_exec.name:
        print(SENTENCE.format(name=result.error_in_exec.name), file=sys.stderr)
