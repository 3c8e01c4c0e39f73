"""The school around course_lib: exercises, predictions, pictures, measurements, and a sandbox for risky code.

Importing it imports course_lib, which attaches a CUDA driver, and furnishes a notebook's kernel: ``%%needs`` for cells
that need a library that may be missing, and a sentence under a cell that broke the CUDA context, or that came before
its turn.

    lessons/        a folder for each lesson: its exercises, predictions with their replies, and listings of the exam
    exercises/      the machinery of exercises and of the exam: hints, cases, the judge
    predictions/    that of predictions
    progress.py     what a learner has done;  grading/  the records of a class
    memory_map/     pictures of addresses;  explorers/  pictures to play with
    follow/         a program followed line by line, with the memory map after each: ``%%follow``
    kernel_views/   a kernel examined for mistakes, its requests to memory counted, beside its PTX
    bandwidth/      measuring, recordings, plots
    sandbox/        code that may end its process;  second_process/  one to share memory with
    held_streams/   streams that wait
    notebook/       what appears under a cell, and the file with a learner's answers

Not here: helpers for CUDA's memory (course_lib), and the simulated driver (cuda_simulator).
"""
import sys

try:
    import course_lib  # noqa: F401  (attaches the driver)
except RuntimeError as error:       # a DriverError, which says what to do
    if sys.argv[:1] == ["-m"]:      # of a command: python -m courseware
        sys.exit(str(error))
    raise

from .notebook import last_kernel, missing_name, needs, sticky_error


def _follow(line, cell):
    """``%%follow``: see follow_cell. It is imported when it is used, because it asks for much."""
    from .follow import follow_cell
    return follow_cell(line, cell)


needs.install()
sticky_error.install()
last_kernel.install()
if "IPython" in sys.modules and (_shell := sys.modules["IPython"].get_ipython()):
    _shell.register_magic_function(_follow, "cell", "follow")
    missing_name.load_ipython_extension(_shell)
