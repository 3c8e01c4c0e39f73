"""The sandbox's other side: how code gets into the new process, and what that process does.

pickle sends functions and classes by name: "the function f of module m". The new process has no notebook to look in,
so `pack` leaves it to cloudpickle, which sends those of a notebook as what they are made of: their compiled code and
the things that they mention. Both processes are the same Python, so that compiled code fits.

Not here: what comes back (returned.py), starting and ending the process (process.py), and the Outcome (__init__.py).
"""
import ctypes
import functools
import io
import os
import pickle
import sys

from course_lib.core.ownership import Resource

import cloudpickle

from . import process, returned

BEGAN = ".began"    # a file of the job's name with this ending: the process has a driver, and is about to run the code


def pack(what, arguments, context):
    """A job as bytes. Raises WrongArgument, naming what cannot be sent."""
    return sent((what, arguments, context))


class Pickler(cloudpickle.Pickler):
    """cloudpickle's, which refuses what means nothing in another process."""

    def reducer_override(self, item):
        """Refuse memory, modules and streams of PyCUDA, and what the course's helpers hold."""
        of_pycuda = type(item).__module__.startswith("pycuda.") and not isinstance(item, int)   # its enumerations are numbers
        if of_pycuda or isinstance(item, Resource):
            raise pickle.PicklingError(f"{type(item).__name__} belongs to this process")
        if type(item).__module__ == "Boost.Python":     # a function of PyCUDA's, by `from pycuda.driver import`
            from pycuda import driver
            name = getattr(item, "__name__", "")
            if getattr(driver, name, None) is item:
                return getattr, (driver, name)
        if isinstance(item, functools._lru_cache_wrapper):      # which goes by its name otherwise, and begins empty there
            return _cached, (item.__wrapped__, item.cache_parameters())
        if isinstance(item, ctypes.CDLL):       # whose functions are of a class that is made for it
            return type(item), (item._name,)
        return super().reducer_override(item)


def _cached(function, parameters):
    return functools.lru_cache(**parameters)(function)


def sent(thing, pickler=Pickler):
    """Something for another process, as bytes. Raises WrongArgument, naming what cannot be sent."""
    from course_lib.core.errors import WrongArgument
    buffer = io.BytesIO()
    try:
        pickler(buffer).dump(thing)
    except Exception as error:    # pickle raises whatever the object's own code raises
        raise WrongArgument(f"this cannot be sent to another process: {error}. Make such things inside the function, "
                            "and pass numbers, text and NumPy arrays") from error
    return buffer.getvalue()


def main(job, answer):
    """Do the job in the file `job`, and leave in the file `answer` how it ended: fields of an Outcome."""
    unbuffer()
    open(job + BEGAN, "w").close()
    try:
        with open(job, "rb") as file:
            what, arguments, context = pickle.load(file)
        import pycuda.driver as cuda
        if context:
            import pycuda.autoinit  # noqa: F401
        value = _evaluate(what) if isinstance(what, str) else what(*arguments)
        if context:
            cuda.Context.synchronize()
        ended = {"value": value}
        _write(answer, ended)
    except Exception as error:
        _write(answer, described(error))
    # No clean-up: it would only complain about a context that the experiment has broken.
    sys.stdout.flush()
    sys.stderr.flush()
    for number in process.children_of(os.getpid()):
        process.end_tree(number)
    os._exit(0)


def unbuffer():
    """Let what Python prints and what a GPU's kernels print (through C) come out in the order it was written."""
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))    # a crash is expected here; no core file of it
    sys.stdout.reconfigure(write_through=True)
    libc = ctypes.CDLL(None)
    libc.setvbuf(ctypes.c_void_p.in_dll(libc, "stdout"), None, 2, 0)    # _IONBF


def _evaluate(source):
    """Run source text; returns the value of its last expression, as a notebook's cell does."""
    import ast
    tree = ast.parse(source, "<sandbox>")
    names = {"__name__": "__main__"}
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<sandbox>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<sandbox>", "eval"), names) if last else None


def described(error):
    """An exception as fields of an Outcome."""
    import traceback

    from course_lib.core.errors import name_of
    return {"error": name_of(error), "exception": f"{type(error).__name__}: {error}",
            "traceback": "".join(traceback.format_exception(error))}


def _write(path, ended):
    """The whole answer or none of it."""
    data = returned.pack(ended)
    with open(path + ".part", "wb") as file:
        file.write(data)
    os.replace(path + ".part", path)
