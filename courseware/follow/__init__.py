"""A program of the learner's, followed line by line: its source, the memory map after each line, and one sentence.

    >>> from courseware.follow import follow
    >>> def one_copy():
    ...     import numpy as np, pycuda.driver as cuda
    ...     numbers = np.array([3, 1, 4, 15], np.int32)
    ...     on_device = cuda.mem_alloc(16)
    ...     cuda.memcpy_htod(on_device, numbers)
    >>> follow(one_copy)

A cell that begins with ``%%follow`` is followed likewise. Only a simulation can be held at each line, so the program
runs over the simulated driver, in the sandbox, on every machine; work on streams is done as late as a GPU may do it,
when the host waits.

Not here: how a program is followed (tracer.py, looking.py), what its steps say (steps.py, sentences.py), and how they
are shown (page.py, player.js; the picture is the memory map's).
"""
import inspect
import os
import tempfile
import textwrap

from course_lib.core.errors import WrongArgument

from .. import sandbox
from ..sandbox import returned, sent
from . import sandboxed
from .orders import Orders, orders
from .program import FollowedProgram

__all__ = ["Orders", "FollowedProgram", "follow", "orders"]

SECONDS = 5


def follow(function, *arguments, timeout=SECONDS):
    """Run a function over the simulated driver, in the sandbox, and follow it line by line; returns a FollowedProgram.

    function:  of the notebook, or of a module. A CUDA context is current. It makes what it uses of CUDA itself: memory,
               modules and streams of this process mean nothing in another one
    arguments: of the function
    timeout:   in seconds

    However it ends, the program is shown up to there. Raises WrongArgument for what is no function in Python, and for
    what cannot be sent to another process; DriverError where the simulated driver is not built.
    """
    if not inspect.isfunction(function):
        raise WrongArgument(f"follow takes a function, not {type(function).__name__}: pass the function itself, and "
                            "its arguments after it: follow(f, x) instead of follow(f(x))")
    try:
        lines, first_line = inspect.getsourcelines(function)
    except OSError:
        raise WrongArgument(f"the source of {function.__name__} is not to be had, so there are no lines to follow: "
                            "define it in a cell or a file") from None
    source = textwrap.dedent("".join(lines))
    return _followed(function.__name__, source, sandboxed.function, timeout, source, max(first_line, 1), function,
                     arguments)


def follow_cell(line, cell):
    """``%%follow``: run a cell over the simulated driver, in the sandbox, and follow it. What it assigns stays there.

    It finds the notebook's modules, functions and data, but no memory of CUDA's: that is refused by its name.
    """
    from IPython import get_ipython
    space = get_ipython().user_ns
    used = {name: space[name] for name in _names(compile(cell, "<followed>", "exec")) if name in space}
    for name, value in used.items():
        try:
            sent.pickled(value)
        except WrongArgument:
            raise WrongArgument(f"`{name}` is a {type(value).__name__} of this notebook, and means nothing in the "
                                "process where the cell is followed: make it in the cell itself") from None
    return follow_source(cell, used)


def follow_source(source, names=None, timeout=SECONDS, early=(), system=None):
    """Run the source of a program over the simulated driver, in the sandbox, and follow it; returns a FollowedProgram.

    names:   {name: thing} that the program finds, which have to mean something in another process
    timeout: in seconds
    early:   the streams whose work is done as early as a GPU may do it, and not as late: 0 for the stream that is the
             first to be given work, 1 for the second
    system:  that the simulated driver follows, as in sandbox.run
    """
    source = source.rstrip("\n")
    return _followed("", source, sandboxed.source, timeout, source, names or {}, early, system=system)


def _names(code):
    """The global names that a piece of code and the functions in it mention."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if inspect.iscode(constant):
            names |= _names(constant)
    return names


def _followed(name, source, how, timeout, *arguments, system=None):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "records")
        outcome = sandbox.run(how, path, *arguments, timeout=timeout, simulated=True, system=system)
        return FollowedProgram(name, textwrap.dedent(source).rstrip("\n"), list(_records(path)), outcome)


def _records(path):
    if not os.path.exists(path):
        return
    with open(path, "rb") as file:
        yield from returned.unpack_all(file)
