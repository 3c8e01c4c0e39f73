"""The stand-in libcuda.so.1 and the Python functions behind its names.

A module in ``calls/`` writes one function of the driver API as a Python function::

    @call("cuMemAlloc_v2")
    def mem_alloc(dptr: pointer, bytesize: size):
        ...

The annotations are the C types of the arguments. The function returns nothing, or raises `CallError`; what
the C caller gets is the CUresult. `attach` puts every such function into its slot of the stand-in.

Not here: what any function does.
"""
import atexit
import ctypes
import functools
import gc
import os
import re
import sys
import threading
import traceback

from ..systems import current_system
from . import interrupts, lacking, reasons, stand_in
from .results import CallError, Result
from .stand_in import StandInMissing

# C types of arguments. Pointers and handles are plain integers, 0 where C has NULL.
pointer = handle = size = ctypes.c_size_t
u64 = ctypes.c_uint64
u32 = ctypes.c_uint32
i32 = ctypes.c_int
u16 = ctypes.c_uint16
u8 = ctypes.c_uint8


class _Entry(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("since", ctypes.c_int),
                ("slot", ctypes.POINTER(ctypes.c_void_p))]


# What a function may demand before its own code runs; state.py says what each means. Functions that are given a
# handle find their context by it, and so need only a HEALTHY driver; some of them refuse to work while a destroyed
# context is current.
NOTHING, INITIALIZED, HEALTHY = "nothing", "initialized", "healthy"
NO_DEAD_CONTEXT, CONTEXT = "no dead context", "context"

_functions = {}        # linker name -> (Python function, argument types, need, in host functions too?, arguments that may not be null)
_callbacks = {}        # linker name -> the ctypes object behind the slot, kept alive for ever
_former_callbacks = [] # those that took a callback's place for a while, kept alive too
_library = None
_attaching = threading.Lock()
_OF_PYTHON = [ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for name in (     # in the order of stand_in.c
    "PyGILState_Ensure", "PyGILState_Release", "PyErr_Fetch", "PyErr_Restore", "PyGILState_GetThisThreadState", "PyEval_SaveThread",
    "PyEval_RestoreThread", "PyThreadState_Clear", "PyThreadState_DeleteCurrent", "Py_AddPendingCall", "PyObject_CallFunction",
    "PyDict_GetItemString", "PyLong_AsLong", "PyUnicode_CompareWithASCIIString", "Py_DecRef", "PyGC_IsEnabled",
    "PyErr_CheckSignals")]
_OF_GC = gc.get_objects, gc.collect, gc.callbacks.remove, gc.callbacks.append, functools.partial(gc.callbacks.insert, 0)
_OF_PYTHON += map(id, _OF_GC)
_preconditions = {}    # need -> function that raises CallError where the need is not met


def precondition(need):
    """Register the function that checks `need` at the start of every call which demands it."""
    def register(check):
        _preconditions[need] = check
        return check
    return register


def call(*names, needs=CONTEXT, not_null=None, in_host_functions=False):
    """Make a Python function the driver API function called `names` (several forms may share one).

    `not_null`, {argument: Result}, names arguments that are refused if null before anything else is looked at, even
    whether the driver was initialised. `in_host_functions`: a function that a stream calls may call this one.
    """
    def register(function):
        types = function.__annotations__
        refused = [(list(types).index(argument), result) for argument, result in (not_null or {}).items()]
        for name in names:
            _functions[name] = (function, list(types.values()), needs, in_host_functions, refused)
        return function
    return register


def require(need):
    """For a function that looks at its arguments first: raise CallError where `need` is not met."""
    _preconditions[need]()


def _guarded(name, function, needs, in_host_functions, refused):
    """`function` as C can call it: every way out is a CUresult."""
    check = _preconditions.get(needs)
    if check is not None and in_host_functions:
        check = functools.partial(check, True)
    success, unknown = int(Result.SUCCESS), int(Result.UNKNOWN)

    @functools.wraps(function)
    def answer(*arguments):
        try:
            for position, result in refused:
                if not arguments[position]:
                    return int(result)
            if check is not None:
                check()
            function(*arguments)
            return success
        except CallError as error:
            reasons.tell(name, error)
            return int(error.result)
        except MemoryError:
            return int(Result.OUT_OF_MEMORY)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):    # of _thread.interrupt_main(), which is no signal
                interrupts.raise_later(error)
                return unknown
            # A defect of the simulation: say so where somebody reads it, and leave the process whole.
            print(f"cuda_simulator: {function.__name__} failed; please report this:", file=sys.stderr)
            traceback.print_exc()
            return unknown
    return answer


def attach(in_use):
    """Load the stand-in and fill its slots. Idempotent; StandInMissing where it is not built.

    `in_use` tells, after a fork, whether the parent's driver was initialised: then the child cannot use it.
    """
    global _library
    with _attaching:
        if _library is None:
            _library = _filled(in_use)
        return _library


def _filled(in_use):
    """The stand-in, loaded, with Python's functions in its slots."""
    library = stand_in.load()
    if not hasattr(library, "stand_in_before_collecting"):     # what it had before took other functions, and would jump to the wrong ones
        raise StandInMissing(f"{stand_in.PATH} is older than this package: run `make clean setup` (or `pip install -e .`)")
    for entry in _entries(library):
        name = entry.name.decode()
        if name in _functions:
            function, types, *conditions = _functions[name]
            if _base(name) in current_system().refused:
                function = _refusing(_base(name))
            _callbacks[name] = ctypes.CFUNCTYPE(ctypes.c_int, *types)(_guarded(_base(name), function, *conditions))
            entry.slot[0] = ctypes.cast(_callbacks[name], ctypes.c_void_p)
    missing = _functions.keys() - _callbacks.keys()
    if missing:
        raise StandInMissing(f"{stand_in.PATH} lacks {', '.join(sorted(missing))}: run `make clean setup`")
    with_lock = ctypes.PyDLL(str(stand_in.PATH))
    callbacks = with_lock.stand_in_before_collecting, with_lock.stand_in_collecting
    for callback in callbacks:
        callback.argtypes, callback.restype = [ctypes.py_object, ctypes.py_object], None
    of_python = [*_OF_PYTHON, *map(id, callbacks)]
    library.stand_in_lock((ctypes.c_void_p * len(of_python))(*of_python))
    gc.callbacks.extend(callbacks)
    interrupts.put_off_handlers()

    @atexit.register
    def collect_as_without_a_driver():
        gc.callbacks[:] = [callback for callback in gc.callbacks if callback not in callbacks]

    atexit.register(library.stand_in_close)
    os.register_at_fork(after_in_child=lambda: in_use() and library.stand_in_forked())
    return library


def _refusing(name):
    """A function that this process's system does not have, or no document describes there."""
    def refuse(*arguments):
        raise lacking.not_answered(f"{name}: {current_system().refused[name]}")
    return refuse


def note_missing():
    """From now on lacking.py has the name of each function that is called and not simulated. Idempotent; attach first.

    It makes a function of Python for each of some hundreds of empty slots, so it is done for those who ask.
    """
    not_supported = int(Result.NOT_SUPPORTED)

    def noting(name):
        def answer():       # C may give a function more arguments than it takes: stand_in.c says why
            lacking.note(name)
            return not_supported
        return ctypes.CFUNCTYPE(ctypes.c_int)(answer)
    for entry in _entries(_library):
        name = entry.name.decode()
        if name not in _callbacks:
            _callbacks[name] = noting(_base(name))
            entry.slot[0] = ctypes.cast(_callbacks[name], ctypes.c_void_p)


def report_calls(observer):
    """From now on `observer.call(name, arguments, function)` makes each call, and returns what `function()` returns, the
    CUresult. None: no more. Attach first.

    Every slot gets another function, so that calls which nobody watches pay nothing.
    """
    for entry in _entries(_library):
        name = entry.name.decode()
        if name in _functions:
            whole = _callbacks[name] if observer is None else _reporting(observer, name)
            _former_callbacks.append(whole)     # a call of another thread may be in it
            entry.slot[0] = ctypes.cast(whole, ctypes.c_void_p)


def _reporting(observer, name):
    """The function of a slot that lets an observer make the call."""
    answer, types, base = _callbacks[name], _functions[name][1], _base(name)

    def reported(*arguments):
        return observer.call(base, arguments, lambda: answer(*arguments))
    return ctypes.CFUNCTYPE(ctypes.c_int, *types)(reported)


def _entries(library):
    """The table of the stand-in, up to its null name."""
    table = (_Entry * 4096).in_dll(library, "stand_in_entries")
    for entry in table:
        if not entry.name:
            return
        yield entry


@functools.cache
def functions_by_base_name():
    """``cuCtxCreate -> [(12050, address of cuCtxCreate_v4), ...]``, newest first: what cuGetProcAddress offers."""
    functions = {}
    for entry in _entries(_library):
        functions.setdefault(re.sub(r"_v\d+$", "", entry.name.decode()), []).append((entry.since, entry.function))
    return {base: sorted(forms, reverse=True) for base, forms in functions.items()}


def coverage():
    """(functions that are simulated, functions that cuda.h declares), those of several versions counted once."""
    simulated = {_base(name) for name in _functions}
    return len(simulated), len({_base(entry.name.decode()) for entry in _entries(_library)} | simulated)


def _base(name):
    """``cuCtxCreate_v4 -> cuCtxCreate``; what ends in _ptsz or _ptds is the same function for another default stream."""
    return re.sub(r"(_v\d+)?(_ptsz|_ptds)?$", "", name)
