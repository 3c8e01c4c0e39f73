"""What every helper that holds something of the driver's has in common: it gives it back, once, in
any case.

- ``with`` gives it back at the end of the block, also when the block ends with an exception;
- `release` gives it back now; a second `release`, and a use after the first, raise Released;
- if neither happened, it is given back when Python collects the object, at the latest at
  interpreter exit.

Giving back happens in the context that the thing was made in, whichever is current at that moment.
A destroyed context has freed everything already, and nothing is left to do. Not here: how each
thing is given back (the helpers).
"""
import contextlib
import dataclasses
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from cuda.bindings import driver as cu

from .errors import Released, WrongContext, ask, do

Self = TypeVar("Self", bound="Resource")      # typing has its own from Python 3.11 on


class Resource:
    """Something that is given back to the driver exactly once. A subclass calls `_hold` when it has
    it."""

    _finalizer: weakref.finalize

    def _hold(self, give_back: Callable[..., object], *arguments: object) -> None:
        """Remember how it is given back: ``give_back(*arguments)``. They must not refer to this
        object."""
        self._finalizer = weakref.finalize(self, _silently, give_back, *arguments)

    @property
    def released(self) -> bool:
        """True once it was given back."""
        return not self._finalizer.alive

    def _require(self) -> None:
        """Raise Released where it was given back."""
        if self.released:
            raise Released(f"this {self._name()} was released. Make another; an address of the old one is nothing to "
                           "rely on now")

    def _name(self) -> str:
        return type(self).__name__

    def release(self) -> None:
        """Give it back to the driver now.

        Raises Released where that was done before, and CudaError where the driver refuses, as it
        refuses every call once a kernel has broken CUDA for its process.
        """
        self._require()
        give_back, *arguments = self._let_go()
        give_back(*arguments)

    def _let_go(self) -> tuple:
        """Forget how it is given back, and return it: from here on the caller sees to it, or
        has."""
        detached = self._finalizer.detach()
        return detached[2] if detached else ()

    def __enter__(self: Self) -> Self:
        self._require()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        if not self.released:
            try:
                self.release()
            except Exception:
                if error is None:    # else the exception that ended the block is the one to see
                    raise


def _silently(give_back: Callable[..., object], *arguments: object) -> None:
    """At collection there is nobody to tell: the context may be gone, or CUDA broken."""
    with contextlib.suppress(Exception):
        give_back(*arguments)


@dataclasses.dataclass(frozen=True)
class ContextOf:
    """Which context something was made in. A handle alone does not tell: a new context may get an
    old one's."""

    handle: int
    id: int

    @property
    def alive(self) -> bool:
        """False once it was destroyed. (cuCtxGetId)

        The driver answers that for a destroyed context, but where its memory has become something
        else the call crashed on an H200: so what is known to be destroyed is not asked about again.
        """
        if self not in _destroyed and cu.cuCtxGetId(cu.CUcontext(self.handle))[1] != self.id:
            _destroyed.add(self)
        return self not in _destroyed

    @property
    def current(self) -> bool:
        """True while it is this thread's current context."""
        return current_context() == self


_destroyed: set[ContextOf] = set()


def current_context() -> ContextOf:
    """The current context. Raises WrongContext where this thread has none. (cuCtxGetCurrent)"""
    handle = ask(cu.cuCtxGetCurrent)
    if not int(handle):
        raise WrongContext("no CUDA context is current on this thread: `import pycuda.autoinit` makes one")
    return ContextOf(int(handle), ask(cu.cuCtxGetId, handle))


def in_context(context: ContextOf, function: Callable[..., Any], *arguments: object) -> Any:
    """Call a function while `context` is current; do nothing if that was destroyed.

    CUDA calls: cuCtxPushCurrent, cuCtxPopCurrent.
    """
    if not context.alive:
        return None
    do(cu.cuCtxPushCurrent, cu.CUcontext(context.handle))
    try:
        return function(*arguments)
    finally:
        cu.cuCtxPopCurrent()
