"""What goes to another process: code and what it needs, as bytes.

pickle sends functions and classes by name: "the function f of module m". The new process has no notebook to look in,
so `pickled` leaves it to cloudpickle, which sends those of a notebook as what they are made of: their compiled code and
the things that they mention. Both processes are the same Python, so that compiled code fits.

Not here: what the process does with it (child.py), and what comes back (returned.py).
"""
import ctypes
import functools
import io
import pickle

from course_lib.core.errors import WrongArgument
from course_lib.core.ownership import Resource

import cloudpickle


class Pickler(cloudpickle.Pickler):
    """cloudpickle's, which refuses what means nothing in another process."""

    def reducer_override(self, item):
        """Refuse memory, modules and streams of PyCUDA, and what the course's helpers hold."""
        # Its enumerations are numbers.
        of_pycuda = type(item).__module__.startswith("pycuda.") and not isinstance(item, int)
        if of_pycuda or isinstance(item, Resource):
            raise pickle.PicklingError(f"{type(item).__name__} belongs to this process")
        if type(item).__module__ == "Boost.Python":     # a function of PyCUDA's, by `from pycuda.driver import`
            from pycuda import driver
            name = getattr(item, "__name__", "")
            if getattr(driver, name, None) is item:
                return getattr, (driver, name)
        # Which goes by its name otherwise, and begins empty there.
        if isinstance(item, functools._lru_cache_wrapper):
            return _cached, (item.__wrapped__, item.cache_parameters())
        if isinstance(item, ctypes.CDLL):       # whose functions are of a class that is made for it
            return type(item), (item._name,)
        return super().reducer_override(item)


def _cached(function, parameters):
    return functools.lru_cache(**parameters)(function)


def pickled(value, pickler=Pickler):
    """Something for another process, as bytes. Raises WrongArgument, naming what cannot be sent."""
    buffer = io.BytesIO()
    try:
        pickler(buffer).dump(value)
    except Exception as error:    # pickle raises whatever the object's own code raises
        raise WrongArgument(f"this cannot be sent to another process: {error}. Make such things inside the function, "
                            "and pass numbers, text and NumPy arrays") from error
    return buffer.getvalue()
