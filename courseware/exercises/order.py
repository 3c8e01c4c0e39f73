"""Parsons puzzles: the lines of a program, to be put in order. The check runs them in the order that was chosen.

So every order that CUDA accepts is right, and where one is wrong, the driver says at which call. Not here: the widget
(views.py).
"""
import functools

from course_lib.core.errors import CudaError, ask
from course_lib.core.ownership import current_context

from cuda.bindings import driver as cu

from .exercise import Case
from .kinds import order_of

SUCCESS = "every call succeeds"


def execute(lines, answer, world, gives_back=()):
    """Run lines in an order: SUCCESS, or the sentence that says which call fails and how.

    lines:      {name: line of Python}
    answer:     the names in order, as text
    world:      a context manager: gives the names that the lines may use, and undoes at its end what is left
    gives_back: (name of a line, what it gives back), where a call that uses it afterwards would end the process
    """
    gives_back, gone = dict(gives_back), {}
    with world() as names:
        for name in order_of(answer):
            line = lines[name]
            try:
                exec(line, names)
            except NameError as error:
                above = f"`{gone[error.name]}` gave back" if error.name in gone else "no line above it makes"
                return f"`{line}` uses `{error.name}`, which {above}"
            except CudaError as error:
                return f"`{line}` answers {error.name}"
            if name in gives_back:
                gone[gives_back[name]] = line
                del names[gives_back[name]]
    return SUCCESS


def one_case(world):
    """The `cases` of a puzzle: one alone, in which the lines run in a world. world: as for `execute`."""
    def cases(stack):
        current_context()
        yield Case("the calls in your order", (world,), SUCCESS)
    return cases


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
