from course_lib import reservation
from course_lib.core.errors import ask      # ask(call, *arguments): what it hands out, or an exception
from cuda.bindings import driver as cu

class Vector:
    """Device memory that grows in place: it has an address, reserved, and nbytes."""

    def __init__(self, most):
        ...         # about three lines

    def grow_to(self, nbytes):
        ...         # about ten lines
