"""Mechanical mutants of Python code: each is the code with one small slip, as fingers and minds make them.

Off by one, `<=` for `<`, an operator for another, exchanged arguments, a condition that is missing or turned round.
"""
import ast
import copy

COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
            ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is}
COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
            ast.Mod: ast.FloorDiv, ast.BitOr: ast.BitAnd}


def mutants(code, starter=""):
    """Every mutant of a piece of code, as [(what was changed, code)], but for lines of the `starter`."""
    tree, by_text = ast.parse(code), {}
    lines, theirs = code.splitlines(), {line.strip() for line in starter.splitlines()}
    for place, node in enumerate(ast.walk(tree)):
        line = getattr(node, "lineno", None) or getattr(getattr(node, "target", None), "lineno", 0)
        if line and lines[line - 1].strip() in theirs:
            continue
        for number, (slip_name, slip) in enumerate(slips(node)):
            changed = copy.deepcopy(tree)
            # the same walk over the copy gives the same nodes
            list(slips(next(copied for number_there, copied in enumerate(ast.walk(changed)) if number_there == place)))[number][1]()
            text = ast.unparse(ast.fix_missing_locations(changed))
            by_text.setdefault(text, f"line {line}: {slip_name}")
            assert slip
    by_text.pop(ast.unparse(tree), None)
    return [(slip_name, text) for text, slip_name in by_text.items()]


def slips(node):
    """(what, function that changes the node in place) for each slip that can be made there."""
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            if replacement := COMPARED.get(type(operator)):
                yield f"{replacement.__name__} for {type(operator).__name__}", lambda place=place, replacement=replacement: (
                    node.ops.__setitem__(place, replacement()))
    if isinstance(node, ast.BinOp):
        if replacement := COMPUTED.get(type(node.op)):
            yield f"{replacement.__name__} for {type(node.op).__name__}", lambda replacement=replacement: setattr(node, "op", replacement())
        if not isinstance(node.op, (ast.Add, ast.Mult, ast.BitOr, ast.BitAnd, ast.BitXor)):
            yield "exchanged sides", lambda: _exchange(node)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        for step in (1, -1):
            yield f"{node.value + step} for {node.value}", lambda step=step: setattr(node, "value", node.value + step)
    if isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords and ast.unparse(node.func) not in ("max", "min"):
        yield "exchanged arguments", lambda: node.args.reverse()
    if isinstance(node, ast.BoolOp):
        for place in range(len(node.values)):
            yield "a part of a condition is missing", lambda place=place: node.values.pop(place)
        replacement = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield f"{replacement.__name__} for {type(node.op).__name__}", lambda: setattr(node, "op", replacement())
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "`not` is missing", lambda: setattr(node, "op", ast.UAdd())
    if isinstance(node, ast.If):
        yield "a guard is missing", lambda: setattr(node, "test", ast.Constant(True))
        yield "a branch is missing", lambda: setattr(node, "test", ast.Constant(False))
    if isinstance(node, ast.comprehension) and node.ifs:
        yield "a condition is missing", lambda: node.ifs.clear()
    if isinstance(node, ast.Return) and ast.unparse(node) not in ("return", "return None"):
        yield "`return` of nothing", lambda: setattr(node, "value", ast.Constant(None))


def _exchange(node):
    node.left, node.right = node.right, node.left
