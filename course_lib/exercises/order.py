"""Parsons puzzles: the lines of a program, to be put in order. The check runs them in the order that was chosen.

So every order that CUDA accepts is right, and where one is wrong, the driver says at which call. Not here: the widget
(views.py).
"""
import functools

from cuda.bindings import driver as cu

from ..errors import CudaError, ask
from .refusal import order_of

SUCCESS = "every call succeeds"


def execute(lines, answer, world):
    """Run lines in an order: SUCCESS, or the sentence that says which call fails and how.

    lines:  {name: line of Python}
    answer: the names in order, as text
    world:  a context manager: gives the names that the lines may use, and undoes at its end what is left
    """
    with world() as names:
        for line in (lines[name] for name in order_of(answer)):
            try:
                exec(line, names)
            except NameError as error:
                return f"`{line}` uses `{error.name}`, which no line above it makes"
            except CudaError as error:
                return f"`{line}` answers {error.name}"
    return SUCCESS


def calls(*names):
    """{name: function} of driver calls that return their results alone and raise CudaError, for the lines to use."""
    return {name: functools.partial(ask, getattr(cu, name)) for name in names}


def undo(names, *lines):
    """Run lines that release what may be left. Most have nothing to do, and fail."""
    for line in lines:
        try:
            exec(line, names)
        except (NameError, CudaError):
            pass
