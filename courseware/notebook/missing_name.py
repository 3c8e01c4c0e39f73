"""A cell that uses a name which an earlier cell makes says how to run what comes before it.

Who opens a notebook and runs a cell in its middle, or restarts the kernel and goes on, gets a NameError, and Python
cannot know that a cell makes the name. This is an extension of IPython that imports nothing, because it has to be there
before a cell has imported the course: the set-up copies it to where each kernel of its environment loads it
(tools/ipython_kernel_config.py). Not here: PyCUDA before the set-up cell (tools/pycuda_import_hint.py).
"""
import sys

SENTENCE = ("If an earlier cell makes `{name}`, run the cells before this one, from the set-up cell on: "
            "Run > Run All Above Selected Cell.")


def load_ipython_extension(shell):
    """Have a kernel look after each failed cell; `import courseware` calls it as well, for kernels that have not loaded
    it, as on Colab."""
    if explain_missing_name.__name__ not in {callback.__name__ for callback in shell.events.callbacks["post_run_cell"]}:
        shell.events.register("post_run_cell", explain_missing_name)


def explain_missing_name(result):
    """IPython's `post_run_cell`: print the sentence if the cell failed by a name that is not defined."""
    if isinstance(result.error_in_exec, NameError) and result.error_in_exec.name:
        print(SENTENCE.format(name=result.error_in_exec.name), file=sys.stderr)
