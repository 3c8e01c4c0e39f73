"""What goes wrong, as Python exceptions.

Two families:

- `Misuse` and its kinds: course_lib saw that a call could not work, or not safely, and refuses it.
  The message says what to do instead. The call did not reach the driver, or the driver's refusal
  was understood;
- `CudaError`: the driver answered an error that nobody foresaw. `name` is CUDA's own name for it.

PyCUDA has exceptions of its own, with CUDA's text instead of its name; `name_of` finds the name for
both. Not here: what is wrong with an argument, which each helper looks for itself.
"""
import functools
from collections.abc import Callable
from typing import Any

from cuda.bindings import driver as cu


class Misuse(Exception):
    """A call that course_lib refuses; the message says what to do instead."""


class Released(Misuse):
    """The resource was given back already."""


class WrongPointer(Misuse, ValueError):
    """An address of the wrong kind of memory, or of none."""


class WrongSize(Misuse, ValueError):
    """A size that the driver does not take; the message names one that it does."""


class WrongArgument(Misuse, TypeError):
    """An argument of the wrong type, or too many or too few."""


class WrongOrder(Misuse):
    """A step before the one that it needs, or after the one that ends it."""


class WrongContext(Misuse):
    """No context is current, or another than the one that the thing belongs to."""


class TooLate(Misuse):
    """Something that can be set only before first use."""


class NotSupported(Misuse):
    """This device cannot do it."""


class CudaError(RuntimeError):
    """The driver answered `name`, such as CUDA_ERROR_ILLEGAL_ADDRESS, to `call`, such as
    cuMemcpyDtoH."""

    def __init__(self, call: str, result: cu.CUresult) -> None:
        super().__init__(f"{call} answers {result.name} ({int(result)}): {_text(result)}")
        self.call, self.name = call, result.name


# Conditions under which no call works, whatever its arguments; they deserve a message of their own.
_NO_CONTEXT = {"CUDA_ERROR_NOT_INITIALIZED", "CUDA_ERROR_INVALID_CONTEXT", "CUDA_ERROR_CONTEXT_IS_DESTROYED"}


def ask(function: Callable[..., tuple], *arguments: object) -> Any:
    """Call a function of cuda.bindings.driver and return the one value that it hands out; None
    where it hands out none.

    ``ask(cu.cuMemHostGetFlags, address) -> 2``, where cuda.bindings gives ``(CUresult.CUDA_SUCCESS,
    2)``.
    Raises CudaError where the driver does not answer CUDA_SUCCESS, WrongContext where it has no
    context, WrongArgument for a function that hands out several values: that is for `ask_all`.
    """
    values = _call(function, arguments)
    if len(values) > 1:
        raise WrongArgument(f"{function.__name__} hands out {len(values)} values: ask_all() returns them all")
    return values[0] if values else None


def ask_all(function: Callable[..., tuple], *arguments: object) -> list[Any]:
    """The same for a function that hands out several values: a list of them.

    ``ask_all(cu.cuMemGetInfo) -> [free, total]``.
    """
    return _call(function, arguments)


def do(function: Callable[..., tuple], *arguments: object) -> None:
    """The same for a function that is called for what it does, such as cuMemFree. What it hands out
    is left."""
    _call(function, arguments)


def _call(function: Callable[..., tuple], arguments: tuple) -> list[Any]:
    result, *values = function(*arguments)
    if int(result):
        if result.name in _NO_CONTEXT:
            raise WrongContext(f"{function.__name__} needs a CUDA context on this thread, and there is none: "
                               "`import pycuda.autoinit` makes one")
        raise CudaError(function.__name__, result)
    return values


def name_of(error: BaseException) -> str | None:
    """CUDA's name of the error that an exception reports, or None where it reports none of CUDA's.

    ``name_of(exception) -> "CUDA_ERROR_INVALID_VALUE"``, for PyCUDA's "cuMemAlloc failed: invalid
    argument".
    """
    import pycuda.driver as cuda
    if isinstance(error, CudaError):
        return error.name
    if isinstance(error, cuda.Error):
        # "cuMemAlloc failed: invalid argument - further words of PyCUDA's"
        description = str(error).partition(" failed: ")[2]
        fitting = [text for text in _names() if description.startswith(text)]
        return _names()[max(fitting, key=len)] if fitting else None
    return None


def number_of(name: str) -> int:
    """The number behind a name: ``number_of("CUDA_ERROR_INVALID_VALUE") -> 1``."""
    return int(getattr(cu.CUresult, name))


@functools.cache
def _names() -> dict[str, str]:
    """{CUDA's text of an error: its name}."""
    return {_text(result): result.name for result in cu.CUresult if int(result)}


def _text(result: cu.CUresult) -> str:
    _, text = cu.cuGetErrorString(result)
    return text.decode() if text else result.name       # a driver that does not know the result has no text
