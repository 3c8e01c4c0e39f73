"""Watch which calls an answer makes, where the driver cannot be asked afterwards.

An answer finds CUDA's functions in their modules, or, after `from ... import`, among its own names. Both lead to a
function that notes the call and makes it. Only in the sandbox: other threads of the process would be watched as well.

Not here: what a call should have been. That is for the exercises' harnesses.
"""
import contextlib
import functools
import inspect


@contextlib.contextmanager
def watched(answer, module, *names, before=lambda: None, after=lambda: None):
    """Inside, the list that this gives holds (name, arguments, result) of each call, in order.

    answer: the learner's function
    module: where the functions are: `pycuda.driver`, or `cuda.bindings.driver`
    names:  of the functions
    before, after: called before and after each of these calls
    """
    calls = []
    with replaced(answer, module, {name: _noting(name, getattr(module, name), calls, before, after) for name in names}):
        yield calls


@contextlib.contextmanager
def replaced(answer, module, functions):
    """Inside, calls of these functions of a module lead to others, however the answer names them.

    answer:    the learner's function, or class; None for calls by the module alone
    functions: {name in the module: the function that takes its place}
    """
    before = []
    for name, function in functions.items():
        original = getattr(module, name)
        for place in (vars(module), *names_of(answer)):
            for key in [key for key, value in place.items() if value is original]:
                before.append((place, key, original))
                place[key] = function
    try:
        yield
    finally:
        for place, key, original in before:
            place[key] = original


def names_of(answer):
    """The global names that an answer sees: a dict for each module that its functions come from.

    answer: a function, or what has several: a class, an object that can be called, a `functools.partial`
    """
    if isinstance(answer, functools.partial):
        return names_of(answer.func)
    modules = [getattr(function, "__globals__", None) for function in _functions(answer)]
    return {id(names): names for names in modules if names is not None}.values()


def _functions(answer):
    if inspect.isroutine(answer):
        return [answer]
    classes = answer.__mro__ if isinstance(answer, type) else type(answer).__mro__
    return [getattr(member, "__func__", member) for cls in classes for member in vars(cls).values()]


def _noting(name, original, calls, before, after):
    def call(*arguments, **named):
        before()
        result = original(*arguments, **named)
        calls.append((name, (*arguments, *named.values()), result))
        after()
        return result
    return call
