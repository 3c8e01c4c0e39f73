"""Watch which calls an answer makes, where the driver cannot be asked afterwards.

An answer finds CUDA's functions in their modules, or, after `from ... import`, among its own names. Both lead to a
function that notes the call and makes it. Only in the sandbox: other threads of the process would be watched as well.

Not here: what a call should have been. That is for the exercises' harnesses.
"""
import contextlib


@contextlib.contextmanager
def watched(answer, module, *names, then=lambda: None, first=lambda: None):
    """Inside, the list that this gives holds (name, arguments, result) of each call, in order.

    answer: the learner's function
    module: where the functions are: `pycuda.driver`, or `cuda.bindings.driver`
    names:  of the functions
    first, then: called before and after each of these calls
    """
    made, replaced = [], []
    theirs = getattr(answer, "__globals__", {})
    for name in names:
        original = getattr(module, name)
        noting = _noting(name, original, made, first, then)
        for place in (vars(module), theirs):
            for key in [key for key, value in place.items() if value is original]:
                replaced.append((place, key, original))
                place[key] = noting
    try:
        yield made
    finally:
        for place, key, original in replaced:
            place[key] = original


def _noting(name, original, made, first, then):
    def call(*arguments, **named):
        first()
        result = original(*arguments, **named)
        made.append((name, (*arguments, *named.values()), result))
        then()
        return result
    return call
