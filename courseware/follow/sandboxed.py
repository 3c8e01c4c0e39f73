"""What the sandbox runs: the way to tracer.py, which needs the simulated driver's insides.

A process with a GPU's driver has no use for these, and does not import them; the one that forks for the sandbox has
them ready.
"""
from course_lib import driver

if driver.attached.simulated:
    from . import tracer  # noqa: F401


def function(*arguments):
    """tracer.follow_function, in the sandbox."""
    from . import tracer
    tracer.follow_function(*arguments)


def source(*arguments):
    """tracer.follow_source, in the sandbox."""
    from . import tracer
    tracer.follow_source(*arguments)
