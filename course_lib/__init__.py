"""A course on CUDA's memory spaces.

Importing it attaches a CUDA driver to this process: the machine's own, or the simulated one (driver/). Import
it before PyCUDA and cuda.bindings.
"""
import sys

from . import driver
from .notebook import broken_context, needs

__version__ = "0.1.0"


def _is_the_doctor():
    """True while Python imports this package for the sake of ``python -m course_lib``, which attaches by itself,
    to report what is wrong instead of failing on it."""
    return sys.argv[:1] == ["-m"] and __name__ in sys.orig_argv


if not _is_the_doctor():
    driver.attach()
    needs.install()
    broken_context.install()
