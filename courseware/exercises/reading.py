"""What can be seen in an answer's source, without running it: a `return` with a value, a tuple that is used whole.

Only what the source proves is told. Not here: what an answer comes to (trials.py), and what is said of it
(reasons.py).
"""
import ast
import dis
import inspect
import linecache
import os
import re
import textwrap
import weakref

CHANGED_IN_PLACE = ("append", "extend", "insert", "remove", "reverse", "sort", "update")    # methods that return None
COMMENTS_OF_C = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
COMMENTS_AND_TEXTS = re.compile(r"#[^\n]*|\"{3}.*?\"{3}|'{3}.*?'{3}", re.DOTALL)
_read = weakref.WeakKeyDictionary()     # function -> its source: each mistake and each reason asks for it anew


def source_of(answer):
    """The source of a function, or of a class's functions, without comments and texts; CUDA C++ without comments.

    "" where Python does not have it.
    """
    if isinstance(answer, str):
        return COMMENTS_OF_C.sub("", answer)
    return COMMENTS_AND_TEXTS.sub("", "\n".join(_sources(answer)))


def shows(answer, pattern):
    """Is the pattern in an answer's source? False where the source cannot be had: then nothing is proved."""
    return re.search(pattern, source_of(answer)) is not None


def has_no_value(answer):
    """Does a function end without a value, whichever way is taken through it? It has no `return` but of None."""
    if not inspect.isfunction(answer) or answer.__code__.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE):
        return False
    before = None
    for step in dis.get_instructions(answer):
        if step.opname == "RETURN_CONST" and step.argval is not None:
            return False
        if step.opname == "RETURN_VALUE" and not (before and before.opname == "LOAD_CONST" and before.argval is None):
            return False
        before = step
    return True


def changes_in_place(answer):
    """The name of a list's method that an answer uses, and that returns None; "" without one."""
    names = getattr(getattr(answer, "__code__", None), "co_names", ())
    return next((name for name in CHANGED_IN_PLACE if name in names), "")


def tuple_used_whole(answer):
    """The line in which a call of cuda-bindings stands where a single value belongs: in a test, in a comparison with a
    number.

    "" without one.
    """
    for source, node in _nodes(answer):
        if any(map(_is_driver_call, _used_as_one_value(node))):
            return _line(source, node)
    return ""


def caught_in_vain(answer):
    """A call of cuda-bindings in a `try` that waits for an exception, and passes over what the call returns.

    "" without one, and where another call of the `try` may raise.
    """
    for _, node in _nodes(answer, ast.Try):
        if not node.handlers:
            continue
        calls = [inner for step in node.body for inner in ast.walk(step) if isinstance(inner, ast.Call)]
        passed_over = [step.value for step in node.body if isinstance(step, ast.Expr) and _is_driver_call(step.value)]
        if passed_over and all(map(_is_driver_call, calls)):
            return ast.unparse(passed_over[0])
    return ""


def swallows(answer):
    """The line of an `except` for every exception that does nothing with it; "" without one."""
    for source, handler in _nodes(answer, ast.ExceptHandler):
        catches_all = handler.type is None or ast.unparse(handler.type) in ("Exception", "BaseException")
        if catches_all and all(map(_does_nothing, handler.body)):
            return _line(source, handler)
    return ""


def _does_nothing(step):
    return isinstance(step, (ast.Pass, ast.Continue)) or ast.unparse(step) in ("return", "return None")


def filled_default(answer):
    """The name of a parameter whose default is a list, a set or a dict, and has changed since it was written; ""
    without one."""
    for _, function in _nodes(answer, ast.FunctionDef):
        if function.name != answer.__name__:
            continue
        defaults = function.args.defaults
        names = [argument.arg for argument in function.args.args[len(function.args.args) - len(defaults):]]
        for name, written, default in zip(names, map(ast.unparse, defaults), answer.__defaults__ or ()):
            made_empty = written in ("set()", "list()", "dict()")
            if made_empty and default or written[:1] in ("[", "{") and written != repr(default):
                return name
    return ""


def outlives_a_call(answer):
    """The name of what a function, or all objects of a class, keep from one call to the next; "" without one.

    That is a global list, set or dict that it puts something in, or such an attribute that no method sets anew.
    """
    if isinstance(answer, type):
        return _shared_attribute(answer)
    names = getattr(answer, "__globals__", {})
    for _, node in _nodes(answer):
        if isinstance(node, ast.Global):
            return node.names[0]
        name = _filled(node)
        if name not in answer.__code__.co_varnames and isinstance(names.get(name), (dict, list, set)):
            return name
    return ""


def _shared_attribute(cls):
    """The attribute of a class that its methods fill, and none of them sets anew; "" without one."""
    texts = " ".join(_sources(cls))
    for name, value in vars(cls).items():
        if not isinstance(value, (dict, list, set)) or f"self.{name}" not in texts:
            continue
        if not re.search(rf"self\.{name}(, [\w., ]+)? = ", texts):
            return name
    return ""


def _filled(node):
    """The name that a node puts something into: "held" of ``held[address] = 1`` and of ``held.add(address)``; ""
    else."""
    stores = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    fills = isinstance(node, ast.Attribute) and node.attr in (*CHANGED_IN_PLACE, "add", "setdefault")
    return node.value.id if (stores or fills) and isinstance(node.value, ast.Name) else ""


def never_read(answer):
    """The name of a parameter that a function never reads, or has another value for at once; "" without one."""
    if not inspect.isfunction(answer):
        return ""
    for source in _sources(answer):
        function = next((node for node in _tree(source).body if isinstance(node, ast.FunctionDef)), None)
        for argument in function.args.args if function else ():
            if not _may_be_read(argument.arg, function.body):
                return argument.arg
    return ""


def _may_be_read(name, steps):
    """Does the first of some statements that mentions a name read it, or may it?"""
    names = (name, "locals", "vars", "eval")
    for step in steps:
        mentioned = [node for node in ast.walk(step) if isinstance(node, ast.Name) and node.id in names]
        if mentioned:
            return not isinstance(step, ast.Assign) or not all(isinstance(node.ctx, ast.Store) for node in mentioned)
    return False


def _nodes(answer, kind=ast.AST):
    """Yield (source, node) of every node of a kind in an answer's functions."""
    for source in _sources(answer):
        for node in ast.walk(_tree(source)):
            if isinstance(node, kind):
                yield source, node


def _line(source, node):
    """The line that a node begins in."""
    return source.splitlines()[node.lineno - 1].strip()


def _tree(source):
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.Module([], [])


def _used_as_one_value(node):
    """The expressions that a node uses as one value."""
    if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return [node.test]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return [] if any(isinstance(side, ast.Tuple) for side in sides) else sides
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("bool", "int"):
        return node.args
    return []


def _is_driver_call(node):
    function = node.func if isinstance(node, ast.Call) else None
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    # The driver's or the runtime's; these two are enums.
    return re.match(r"cu(da(?!MemoryType|Error))?[A-Z]", name) is not None


def sources(answers):
    """{file: its lines} of the cells that answers come from: another process has no notebook to look in."""
    files = {function.__code__.co_filename for answer in answers for function in _functions(answer)}
    of_cells = {file: linecache.getlines(file) for file in files if not os.path.exists(file)}
    return {file: lines for file, lines in of_cells.items() if lines}


def _functions(answer):
    return filter(inspect.isfunction, vars(answer).values() if isinstance(answer, type) else [answer])


def _sources(answer):
    return list(filter(None, map(_source, _functions(answer))))


def _source(function):
    """A function's own source, and not that of what it wraps; "" where Python does not have it."""
    if function not in _read:
        code = function.__code__ if hasattr(function, "__wrapped__") else function
        try:
            _read[function] = textwrap.dedent(inspect.getsource(code))
        except (OSError, TypeError, IndentationError):
            _read[function] = ""
    return _read[function]
