"""Numba over the simulated driver: kernels have line numbers without being asked, so that what goes wrong is told by its line.

Numba leaves them out unless ``@cuda.jit(lineinfo=True)`` says otherwise, because they are part of its machine code. In PTX that is
interpreted they cost nothing. Not here: where Numba finds its compiler (cuda_without_toolkit).
"""
import functools

from cuda_without_toolkit import after_import

POSITION = 6        # of `lineinfo` among jit's arguments


def install():
    """Mend Numba: now where it is imported already, else as soon as it is."""
    after_import.do("numba.cuda.decorators", _ask_for_lines)
    after_import.do("numba.cuda.dispatcher", _do_without_lines)


def _ask_for_lines(module):
    """Put a jit in the place of Numba's that asks for line numbers, where its caller says nothing else."""
    of_numba = module.jit

    @functools.wraps(module.jit)
    def jit(*arguments, **options):
        # Numba warns of lines beside its information for debuggers, which has lines of its own.
        if len(arguments) <= POSITION and not options.get("debug") and "debug" not in options:
            options.setdefault("lineinfo", True)
        return of_numba(*arguments, **options)

    module.jit = jit


def _do_without_lines(module):
    """A kernel that Numba cannot compile with line numbers, such as one with an empty tuple of tuples, is compiled without."""
    of_numba = module.CUDADispatcher.compile

    @functools.wraps(of_numba)
    def compile(self, signature):
        try:
            return of_numba(self, signature)
        except ZeroDivisionError:       # Numba's debuginfo divides by the size of a tuple's element
            if not self.targetoptions.get("lineinfo"):
                raise
            self.targetoptions["lineinfo"] = False
            return of_numba(self, signature)

    module.CUDADispatcher.compile = compile
