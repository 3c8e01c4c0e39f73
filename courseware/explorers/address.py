"""Explorer of one address: type it, or the name of a variable, and see everything that is known of it.

    >>> from courseware import explorers
    >>> explorers.address(0)
    0x0: null
    host pointer  none
    NULL: it is the null pointer

Not here: the questions to the driver and the way back (course_lib/pointers/).
"""
import ast

from course_lib.core.address import address_of
from course_lib.core.errors import WrongPointer
from course_lib.pointers import Kind, facts, host_pointer_for

import ipywidgets as widgets
from IPython import get_ipython

from .panel import SHORT_LABEL, Answer, Panel

EXAMPLES = "an address such as 0x7f0000000000, a variable such as numbers, or either with + and a number of bytes"
LONGEST = 200   # characters; Python's parser gives up in its own ways on what is very deep


def address(what=None):
    """The explorer, a widget; with `what` the answer at once, without a widget.

    what: an address as an int, what has one (an array, an allocation), or text as it may be typed into the widget:
          hexadecimal or decimal, a variable of the notebook or its attribute (``x.ptr``), plus or minus bytes

    Raises WrongPointer for text that leads to no address, CudaError once a kernel has broken CUDA for its process.
    CUDA calls: those of pointers.facts and pointers.host_pointer_for.
    """
    if what is None:
        return _panel()
    if isinstance(what, str):
        return _answer(address_of(_follow(what)), f"{what.strip()} = ")
    return _answer(address_of(what))


def _answer(number, name=""):
    """The Answer for an address, which the learner calls `name`."""
    address_facts, back = facts(number), host_pointer_for(number)
    rows = [(label, text) for label, text in address_facts.rows() if label not in ("address", "kind", "host address")]
    if address_facts.start:
        rows.insert(0, ("this byte", f"number {number - address_facts.start} of {address_facts.nbytes}"))
    rows.append(("host pointer", f"{back:#x}" if back else "none"))
    # No call tells pageable memory from a freed part of pinned memory.
    kind = address_facts.kind.value + (", as a rule" if address_facts.kind is Kind.PAGEABLE else "")
    return Answer(f"{name}{number:#x}: {kind}", rows=tuple(rows),
                  remark="" if back else f"{back.reason.name}: {back.reason.value}")


def _follow(text):
    """The thing that typed text stands for: a number, or what a variable of the notebook refers to."""
    if len(text) > LONGEST:
        raise WrongPointer(f"this text has {len(text)} characters. Type {EXAMPLES}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise WrongPointer(f"{text!r} cannot be read. Type {EXAMPLES}") from None
    return _value(tree, text)


def _value(tree, text):
    """The value of the few forms that are read; nothing is called."""
    if isinstance(tree, ast.Constant) and type(tree.value) is int:
        return tree.value
    if isinstance(tree, ast.Name):
        return _variable(tree.id)
    if isinstance(tree, ast.Attribute):
        value = _value(tree.value, text)
        if not hasattr(value, tree.attr):
            raise WrongPointer(f"{ast.unparse(tree.value)} has no {tree.attr}")
        return getattr(value, tree.attr)
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, (ast.Add, ast.Sub)):
        start, offset = address_of(_value(tree.left, text)), _value(tree.right, text)
        if not isinstance(offset, int):
            raise WrongPointer(f"{ast.unparse(tree.right)} is not a number of bytes")
        return start + offset if isinstance(tree.op, ast.Add) else start - offset
    raise WrongPointer(f"{text!r} is not understood here. Type {EXAMPLES}")


def _variable(name):
    shell = get_ipython()
    names = shell.user_ns if shell else vars(__import__("__main__"))
    if name not in names:
        raise WrongPointer(f"the notebook has no variable {name}. Type {EXAMPLES}")
    return names[name]


def _panel():
    text = widgets.Text(placeholder="0x7f0000000000, or a variable's name", continuous_update=False,
                        description="address", style=SHORT_LABEL, layout={"width": "28em"})
    again = widgets.Button(description="Look again", tooltip="ask the driver again about the same address")

    def ask():
        return address(text.value) if text.value.strip() else Answer(f"Type {EXAMPLES}, and press Enter.")
    controls = widgets.HBox([text, again], layout={"flex_flow": "row wrap"})
    panel = Panel("an address: what is known of it", [controls], ask, 'explorers.address("numbers")')
    again.on_click(lambda button: panel.ask())
    return panel
