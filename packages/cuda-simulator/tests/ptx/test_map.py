"""The map at the top of the interpreter's package leads to every module, and to the right one."""

import inspect
import re

import pytest

from . import FOLDER, interpreter as ptx

MAP = ptx.__doc__
INSTRUCTIONS, _, _ = MAP.partition("How one is run")


def test_every_module_is_on_the_map():
    modules = {path.stem for path in FOLDER.rglob("*.py")} - {"__init__"}
    assert modules <= set(re.findall(r"\w+", MAP))


@pytest.mark.parametrize("line", re.findall(r"(?m)^    (?=\w).*", INSTRUCTIONS))
def test_an_instruction_is_where_the_map_says(line):
    """Each word on the left begins a form that a module on the right has registered."""
    left, right = re.split(r"\s{3,}", line, maxsplit=1)
    modules = set(re.findall(r"\w+", right))
    for word in re.findall(r"(?<![%\w.])[a-z]\w*(?:\.\w+)*", left.split(",")[0]):
        homes = {handler_module(form.handler) for form in ptx.instructions.forms.FORMS[word.split(".")[0]]}
        assert homes & modules, f"{word} is in {homes}, not in {modules}"


def handler_module(handler) -> str:
    """The module of the function that a form was registered for; steps.compute wraps it in another one."""
    return inspect.getclosurevars(handler).nonlocals.get("builder", handler).__module__.rpartition(".")[2]
