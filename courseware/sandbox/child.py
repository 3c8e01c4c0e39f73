"""The sandbox's other side: what the new process does.

Not here: how code gets there (sent.py), what comes back (returned.py), starting and ending the process (process.py),
and the Outcome (__init__.py).
"""
import ctypes
import os
import pickle
import sys

from . import process, returned

BEGAN = ".began"    # a file of the job's name with this ending: the process has a driver, and is about to run the code


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
    # No clean-up: it would only complain about what the experiment has broken.
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
    last_expression = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<sandbox>", "exec"), names)
    return eval(compile(ast.Expression(last_expression.value), "<sandbox>", "eval"), names) if last_expression else None


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
