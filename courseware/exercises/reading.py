"""What can be seen in an answer's source, without running it: a `return` with a value, a tuple that is used whole.

Only what the source proves is told. Not here: what an answer comes to (attempt.py), and what is said of it (reasons.py).
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
_read = weakref.WeakKeyDictionary()     # function -> its source: each mistake and each reason asks for it anew


def source_of(answer):
    """The source of a function, or of a class's functions, without comments and texts; CUDA C++ without comments. "" where
    Python does not have it."""
    if isinstance(answer, str):
        return re.sub(r"//[^\n]*|/\*.*?\*/", "", answer, flags=re.DOTALL)
    return re.sub(r"#[^\n]*|\"{3}.*?\"{3}|'{3}.*?'{3}", "", "\n".join(_sources(answer)), flags=re.DOTALL)


def shows(answer, pattern):
    """Is the pattern in an answer's source? False where the source cannot be had: then nothing is proved."""
    return re.search(pattern, source_of(answer)) is not None


def has_no_value(answer):
    """Does a function end without a value, whichever way is taken through it? It has no `return` but of None."""
    if not inspect.isfunction(answer) or answer.__code__.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE):
        return False
    steps, returned = list(dis.get_instructions(answer)), []
    for before, step in zip([None, *steps], steps):
        if step.opname in ("RETURN_VALUE", "RETURN_CONST"):
            returned.append(step if step.opname == "RETURN_CONST" else before)
    return all(step is not None and step.opname in ("LOAD_CONST", "RETURN_CONST") and step.argval is None for step in returned)


def changes_in_place(answer):
    """The name of a list's method that an answer uses, and that returns None; "" without one."""
    names = getattr(getattr(answer, "__code__", None), "co_names", ())
    return next((name for name in CHANGED_IN_PLACE if name in names), "")


def tuple_used_whole(answer):
    """The line in which a call of cuda-bindings stands where a single value belongs: in a test, in a comparison with a number.
    "" without one."""
    for source in _sources(answer):
        for node in ast.walk(_tree(source)):
            if any(map(_is_driver_call, _used_as_one_value(node))):
                return source.splitlines()[node.lineno - 1].strip()
    return ""


def caught_in_vain(answer):
    """A call of cuda-bindings in a `try` that waits for an exception, and passes over what the call returns; "" without one,
    and where another call of the `try` may raise."""
    for source in _sources(answer):
        for node in ast.walk(_tree(source)):
            if isinstance(node, ast.Try) and node.handlers:
                calls = [inner for step in node.body for inner in ast.walk(step) if isinstance(inner, ast.Call)]
                passed = [step.value for step in node.body if isinstance(step, ast.Expr) and _is_driver_call(step.value)]
                if passed and all(map(_is_driver_call, calls)):
                    return ast.unparse(passed[0])
    return ""


def swallows(answer):
    """The line of an `except` for every exception that does nothing with it; "" without one."""
    for source in _sources(answer):
        for node in ast.walk(_tree(source)):
            if isinstance(node, ast.ExceptHandler) and (node.type is None or ast.unparse(node.type) in ("Exception", "BaseException")):
                if all(isinstance(step, (ast.Pass, ast.Continue)) or ast.unparse(step) in ("return", "return None") for step in node.body):
                    return source.splitlines()[node.lineno - 1].strip()
    return ""


def filled_default(answer):
    """The name of a parameter whose default is a list, a set or a dict, and has changed since it was written; "" without one."""
    for source in _sources(answer):
        for node in filter(lambda node: isinstance(node, ast.FunctionDef) and node.name == answer.__name__, ast.walk(_tree(source))):
            names = [argument.arg for argument in node.args.args][-len(node.args.defaults or [0]):]
            for name, written, now in zip(names, node.args.defaults, answer.__defaults__ or ()):
                was = ast.unparse(written)
                if was in ("set()", "list()", "dict()") and now or was[:1] in ("[", "{") and was != repr(now):
                    return name
    return ""


def outlives_a_call(answer):
    """The name of what a function, or all objects of a class, keep from one call to the next: a global list, set or dict that it puts
    something in, or such an attribute that no method sets anew. "" without one."""
    if isinstance(answer, type):
        texts = " ".join(_sources(answer))
        return next((name for name, value in vars(answer).items() if isinstance(value, (dict, list, set)) and not name.startswith("__")
                     and f"self.{name}" in texts and not re.search(rf"self\.{name}(, [\w., ]+)? = ", texts)), "")
    names = getattr(answer, "__globals__", {})
    for source in _sources(answer):
        for node in ast.walk(_tree(source)):
            if isinstance(node, ast.Global):
                return node.names[0]
            stores = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
            fills = isinstance(node, ast.Attribute) and node.attr in (*CHANGED_IN_PLACE, "add", "setdefault")
            name = node.value.id if (stores or fills) and isinstance(node.value, ast.Name) else ""
            if name not in answer.__code__.co_varnames and isinstance(names.get(name), (dict, list, set)):
                return name
    return ""


def never_read(answer):
    """The name of a parameter that a function never reads, or has another value for at once; "" without one."""
    for source in _sources(answer) if inspect.isfunction(answer) else ():
        function = next((node for node in _tree(source).body if isinstance(node, ast.FunctionDef)), None)
        for name in [argument.arg for argument in function.args.args] if function else ():
            for step in function.body:
                mentioned = [node for node in ast.walk(step) if isinstance(node, ast.Name) and node.id in (name, "locals", "vars", "eval")]
                if mentioned and not (isinstance(step, ast.Assign) and all(isinstance(node.ctx, ast.Store) for node in mentioned)):
                    break       # it is read here, or may be
                if mentioned:
                    return name
            else:
                return name
    return ""


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
    if isinstance(node, ast.Compare) and not any(isinstance(side, ast.Tuple) for side in [node.left, *node.comparators]):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("bool", "int"):
        return node.args
    return []


def _is_driver_call(node):
    name = node.func if isinstance(node, ast.Call) else None
    name = name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")
    return re.match(r"cu(da(?!MemoryType|Error))?[A-Z]", name) is not None      # the driver's or the runtime's; these are enums


def sources(answers):
    """{file: its lines} of the cells that answers come from: another process has no notebook to look in."""
    files = {function.__code__.co_filename for answer in answers for function in _functions(answer)}
    return {file: lines for file in files if not os.path.exists(file) and (lines := linecache.getlines(file))}


def _functions(answer):
    return filter(inspect.isfunction, vars(answer).values() if isinstance(answer, type) else [answer])


def _sources(answer):
    return list(filter(None, map(_source, _functions(answer))))


def _source(function):
    """A function's own source, and not that of what it wraps; "" where Python does not have it."""
    if function not in _read:
        try:
            _read[function] = textwrap.dedent(inspect.getsource(function.__code__ if hasattr(function, "__wrapped__") else function))
        except (OSError, TypeError, IndentationError):
            _read[function] = ""
    return _read[function]
