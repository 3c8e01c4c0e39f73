"""The sandbox's other side: how code gets into the new process, and what that process does.

pickle sends functions by name: "the function f of module m". The new process has no notebook to look in, so
`pack` sends a notebook's function as what it is made of, its compiled code and the things that it mentions.
Both processes are the same Python, so that compiled code fits.

Not here: starting and ending the process, and the Outcome (sandbox.py).
"""
import builtins
import ctypes
import dis
import importlib
import io
import marshal
import os
import pickle
import sys
import types


def pack(what, arguments, context):
    """A job as bytes. Raises WrongArgument, naming what cannot be sent."""
    from .errors import WrongArgument
    buffer = io.BytesIO()
    try:
        _Pickler(buffer, protocol=5).dump((what, arguments, context))
    except Exception as error:    # pickle raises whatever the object's own code raises
        raise WrongArgument(f"this cannot be sent to another process: {error}. Make such things inside the function, "
                            "and pass numbers, text and NumPy arrays") from error
    return buffer.getvalue()


class _Pickler(pickle.Pickler):
    """Sends modules by name, and functions that cannot be imported by their parts."""

    def reducer_override(self, item):
        if isinstance(item, types.ModuleType):
            return importlib.import_module, (item.__name__,)
        if isinstance(item, types.FunctionType) and not _importable(item):
            # In two steps, so that a function which mentions itself ends.
            return _empty_function, (marshal.dumps(item.__code__), item.__name__), _parts(item), None, None, _fill
        if isinstance(item, type) and item.__module__ == "__main__":
            raise pickle.PicklingError(f"{item.__name__} is a class of the notebook")
        if type(item).__module__.startswith("pycuda."):
            raise pickle.PicklingError(f"{type(item).__name__} belongs to this process")
        return NotImplemented


def _importable(function):
    module = sys.modules.get(function.__module__)
    return function.__module__ != "__main__" and getattr(module, function.__qualname__, None) is function


def _parts(function):
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    mentioned = {name: function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__}
    return mentioned, function.__defaults__, function.__kwdefaults__, cells


def _names(code):
    """Every name that code, or code inside it, may look up in its globals."""
    # Not co_names: that has the names of attributes too, and np.array is no global called array.
    yield from (step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _empty_function(code, name):
    code = marshal.loads(code)
    cells = tuple(types.CellType() for _ in code.co_freevars)
    return types.FunctionType(code, {"__builtins__": builtins, "__name__": "__main__"}, name, None, cells)


def _fill(function, parts):
    mentioned, function.__defaults__, function.__kwdefaults__, cells = parts
    function.__globals__.update(mentioned)
    for cell, content in zip(function.__closure__ or (), cells):
        cell.cell_contents = content


def main(job, answer):
    """Do the job in the file `job`, and leave in the file `answer` how it ended: fields of an Outcome."""
    _unbuffer()
    try:
        with open(job, "rb") as file:
            what, arguments, context = pickle.load(file)
        import pycuda.driver as cuda
        if context:
            import pycuda.autoinit    # noqa: F401
        value = _evaluate(what) if isinstance(what, str) else what(*arguments)
        if context:
            cuda.Context.synchronize()
        ended = {"value": value}
        _write(answer, ended)
    except Exception as error:
        _write(answer, _described(error))
    # No clean-up: it would only complain about a context that the experiment has broken.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _unbuffer():
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


def _described(error):
    import traceback

    from .errors import name_of
    return {"error": name_of(error), "exception": f"{type(error).__name__}: {error}",
            "traceback": "".join(traceback.format_exception(error))}


def _write(path, ended):
    """The whole answer or none of it. A value that cannot be sent is an exception, as if the code had raised it."""
    try:
        data = pickle.dumps(ended)
    except Exception:
        raise TypeError(f"a {type(ended['value']).__name__} cannot leave its process: return numbers, text or "
                        "NumPy arrays") from None
    with open(path + ".part", "wb") as file:
        file.write(data)
    os.replace(path + ".part", path)
