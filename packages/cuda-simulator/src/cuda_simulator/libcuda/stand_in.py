"""The file libcuda.so.1 beside this one, built from stand_in.c: find it and load it."""
import contextlib
import ctypes
import functools
import os
from pathlib import Path

PATH = Path(__file__).with_name("libcuda.so.1")
OTHER_NAME = PATH.with_name("other_name.so")        # libcuda.so, as ctypes.CDLL("libcuda.so") finds it
LANES = PATH.parents[1] / "ptx" / "lanes.so"        # what ptx/compiled.py loads


class StandInMissing(ImportError):
    """The stand-in library has not been built, or does not fit this machine."""


def check_built():
    """Raise StandInMissing where the stand-in is not there, or the loops of kernels: both are compiled as the package is installed."""
    for path in (PATH, OTHER_NAME, LANES):
        if not path.exists():
            raise StandInMissing(f"{path} is not built: install cuda-simulator again with pip, which "
                                 "compiles it (in a checkout: `pip install -e packages/cuda-simulator`)")


@functools.cache
def load():
    """Load the stand-in so that whoever asks for libcuda.so.1 from now on gets it.

    Raises StandInMissing if it is not built, with the command that builds it.
    """
    check_built()
    try:
        library = ctypes.CDLL(str(PATH), mode=ctypes.RTLD_GLOBAL)
        ctypes.CDLL(str(OTHER_NAME), mode=ctypes.RTLD_GLOBAL)
        return library
    except OSError as error:
        raise StandInMissing(
            f"{PATH} cannot be loaded ({error}): install cuda-simulator again with pip, which compiles it for this machine") from error


class _Inside(contextlib.ContextDecorator):
    """What Python asks the driver for without a call, done as in a call: no finalizer runs meanwhile (stand_in.c says why)."""

    def __enter__(self):
        load().stand_in_enter()

    def __exit__(self, *failure):
        load().stand_in_leave()


inside = _Inside()


def is_stand_in(path):
    """True for the libcuda.so.1 of the simulated driver: the one that lies in this package."""
    return os.path.realpath(path).startswith(os.path.dirname(os.path.realpath(__file__)) + os.sep)


def loaded_drivers():
    """Paths of every libcuda.so that this process has loaded, this one or another: a set."""
    with open("/proc/self/maps") as maps:
        return {line.split(maxsplit=5)[5].strip() for line in maps if "/libcuda.so" in line}
