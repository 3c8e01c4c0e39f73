"""An explorer that asks the driver answers, never raises into the notebook, holds nothing, and can be stored."""
import doctest
import gc
import html
import importlib
import inspect
import re
import threading

from course_lib.core.errors import CudaError
from courseware import explorers
from courseware.explorers import panel
from courseware.notebook.display import STYLE

import ipywidgets as widgets
import pycuda.driver as cuda
import pytest
from cuda.bindings import driver as cu

from ..helpers import tables

MODULES = ["address", "panel"]


def shown(explorer):
    """The text of an explorer's answer."""
    return html.unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", explorer.answer.value, flags=re.DOTALL))


def controls(box):
    """Everything in a widget that can be operated."""
    for child in box.children:
        if hasattr(child, "children") and not hasattr(child, "options"):     # a Choice is a box, and one control
            yield from controls(child)
        elif not isinstance(child, widgets.HTML):
            yield child


def settings(control):
    """What a user can set a control to."""
    if isinstance(control, widgets.Text):
        return ["0", "0x10", "no such variable", "((", ""]
    return [value[1] if isinstance(value, tuple) else value for value in control.options]


def operate(explorer):
    """Press every button, and set every control to everything."""
    for control in [*controls(explorer)] * 2:      # twice, so that the first are tried with what the last were set to
        if isinstance(control, widgets.Button):
            control.click()
            yield control.description
        else:
            for value in settings(control):
                control.value = value
                yield value


def test_every_control_leads_to_an_answer():
    explorer = explorers.address()
    for _ in operate(explorer):
        assert shown(explorer).strip() and "could not be answered" not in shown(explorer)


def test_it_holds_nothing_of_the_drivers_between_two_clicks():
    explorer = explorers.address()
    before = tables.now()
    for _ in operate(explorer):
        gc.collect()
        assert tables.now() == before


def test_it_answers_on_a_thread_without_a_context_as_on_its_own():
    explorer = explorers.address()
    button_or_control = next(controls(explorer))
    answers = []

    def press():
        explorer.ask()
        answers.append(shown(explorer))
    thread = threading.Thread(target=press)
    before = shown(explorer)
    thread.start()
    thread.join()
    assert answers == [before] and button_or_control


def test_an_exception_becomes_a_sentence(monkeypatch):
    explorer = explorers.address()
    monkeypatch.setattr(explorer, "_asks", lambda: [].pop())
    explorer.ask()
    assert shown(explorer).strip() == "This could not be answered: IndexError: pop from empty list."


@pytest.mark.parametrize("error, says", [
    (cuda.LogicError("cuCtxSynchronize failed: an illegal memory access was encountered"), "A kernel has broken CUDA for this process: restart"),
    (CudaError("cuMemAlloc", cu.CUresult.CUDA_ERROR_OUT_OF_MEMORY), "cuMemAlloc answers CUDA_ERROR_OUT_OF_MEMORY"),
])
def test_only_after_a_kernel_has_broken_cuda_is_told_to_restart(error, says):
    sentence = panel.sentence_for(error)
    assert says in sentence and ("restart" in sentence) == ("restart" in says)


def test_without_a_context_it_says_how_to_make_one():
    context = cuda.Context.get_current()
    cuda.Context.pop()
    try:
        explorer = explorers.address()
        text = shown(explorer)
    finally:
        context.push()
    assert "import pycuda.autoinit" in text
    explorer.ask()
    assert "import pycuda.autoinit" not in shown(explorer)


def test_after_its_context_is_gone_it_asks_for_a_new_start():
    context = cuda.Device(0).make_context()
    explorer = explorers.address()
    context.pop()
    context.detach()
    explorer.ask()
    assert "run its cell again" in shown(explorer)


def test_a_stored_notebook_keeps_the_plain_call_of_it():
    assert repr(explorers.address()) == repr(explorers.address())
    text, = re.findall(r"Without widgets: (.*)$", repr(explorers.address()))
    assert text.startswith("explorers.address(")
    assert len(repr(explorers.address())) <= 110     # where ipywidgets cuts it
    assert isinstance(eval(text.replace('"numbers"', "0")), panel.Answer)


def test_a_screen_reader_says_an_answer_that_takes_the_place_of_another():
    explorer = explorers.address()
    assert "role=" not in explorer.answer.value.split("<svg")[0]    # the first is read with the cell
    explorer.ask()
    announced, = re.findall(r"<div role='alert'[^>]*>(.*?)</div>", explorer.answer.value)
    assert html.unescape(announced) in repr(explorer._asks()).replace("\n", " ")


def test_its_html_has_no_colours_of_its_own():
    assert not re.search(r"color|background", explorers.address().answer.value.removeprefix(STYLE))


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_are_true_and_every_public_name_is_explained(name):
    module = importlib.import_module(f"courseware.explorers.{name}")
    assert doctest.testmod(module).failed == 0
    for label, item in vars(module).items():
        if not label.startswith("_") and getattr(item, "__module__", None) == module.__name__ and callable(item):
            assert inspect.getdoc(item), label


def test_text_and_html_of_an_answer_say_the_same():
    answer = panel.Answer("One <b>.", ("a", "b"), (("c & d", "e"),), "Two.")
    assert repr(answer) == "One <b>.\na      b\nc & d  e\nTwo."
    assert re.sub(r"<[^>]+>", "", answer._repr_html_()) == "One &lt;b&gt;.abc &amp; deTwo."
