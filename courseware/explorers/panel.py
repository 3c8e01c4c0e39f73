"""What the explorers have in common: controls above, and below them an answer that follows the controls.

An explorer's callback puts real calls to the driver. Three things go wrong easily there, and are dealt with here:

- JupyterLab may run callbacks on a thread of their own, where no CUDA context is current (ipykernel's subshells). They
  run in the context that was current when the panel was made;
- what a callback prints, and its traceback, reach nobody. An exception becomes a sentence in the panel;
- two runs of a cell must show the same text, so the panel's text/plain names the plain call and nothing else.

Not here: any question about CUDA (the explorers' own modules).
"""
import html
from dataclasses import dataclass

from course_lib.core import tables
from course_lib.core.errors import CudaError, Misuse, WrongContext, name_of
from course_lib.core.ownership import current_context, in_context

import ipywidgets as widgets

from ..notebook.display import RUN, STYLE, bundle, card

CELL = "style='text-align:left; padding:2px 12px 2px 0; white-space:normal'"
TABLE = "style='border-spacing:0; line-height:1.5'"
SHORT_LABEL = {"description_width": "initial"}      # ipywidgets keeps room for a long one


@dataclass(frozen=True, repr=False)
class Answer:
    """What an explorer answers: a sentence, a picture (HTML), a table with or without a heading, and a remark."""

    sentence: str
    heading: tuple = ()
    rows: tuple = ()
    remark: str = ""
    picture: str = ""

    def __repr__(self):
        return "\n".join(filter(None, [self.sentence, tables.text(self.rows, self.heading), self.remark]))

    def _repr_html_(self):
        return self.html()

    def html(self, announced=False):
        """The answer as HTML. announced: a screen reader says the sentence by itself, as it replaces another"""
        table = tables.html(self.rows, self.heading, CELL, table=TABLE) if self.rows else ""
        role = "role='alert' " if announced else ""
        sentence, remark = (f"<div {how}style='margin:4px 0'>{html.escape(text)}</div>" if text else ""
                            for how, text in ((role, self.sentence), ("", self.remark)))
        # line-height: ipywidgets gives its HTML that of a one-line label.
        return f"<div style='line-height:1.5'>{sentence}{self.picture}{table}{remark}</div>"


class Panel(widgets.VBox):
    """Controls, and below them the answer of `ask`; asked at once, and again whenever a control's value changes."""

    def __init__(self, title, controls, ask, plain_call):
        """
        title:      what is explored, for the card that stands here before the cell is run
        controls:   widgets whose `value` counts, or boxes of them
        ask:        function without arguments that reads the controls and returns an Answer
        plain_call: the call that answers without widgets, as the learner would write it
        """
        self._title, self._asks, self._plain_call = title, ask, plain_call
        self._context = None
        self.answer = widgets.HTML()
        super().__init__([*controls, self.answer])
        for control in _with_values(controls):
            control.observe(self._on_change, names="value")
        self.ask()

    def _on_change(self, change):
        self.ask()

    def ask(self):
        """Ask again, and show the answer or, instead of an exception, a sentence."""
        try:
            answer = self._in_its_context()
        except Exception as error:
            answer = Answer(sentence_for(error))
        # The first answer is read with the cell, as everything in it.
        self.answer.value = STYLE + answer.html(bool(self.answer.value))

    def _in_its_context(self):
        self._context = self._context or current_context()     # `import pycuda.autoinit` may have come later
        if not self._context.alive:
            raise WrongContext("the CUDA context that this explorer was made in is gone: run its cell again")
        return in_context(self._context, self._asks)

    _ipython_display_ = None    # ipywidgets 7's, as on Colab: it would show the widget alone

    def _repr_mimebundle_(self, **kwargs):
        call = f"<p style='margin:4px 0'>Without buttons: <code>{html.escape(self._plain_call)}</code></p>"
        return bundle(repr(self), card("Explore", call, RUN, self._title), self)

    def __repr__(self):
        return f"An explorer, for a running notebook. Without widgets: {self._plain_call}"


def sentence_for(error):
    """What to tell the learner of an exception: one sentence, and never a traceback."""
    if name_of(error) == "CUDA_ERROR_ILLEGAL_ADDRESS":
        return f"{error}. A kernel has broken CUDA for this process: restart the notebook's kernel."
    if isinstance(error, (Misuse, CudaError, MemoryError)):
        return f"{error}."
    return f"This could not be answered: {type(error).__name__}: {error}."


def _with_values(controls):
    """The controls that have a value, those within boxes too. A Choice is a box, and one control."""
    for control in controls:
        if hasattr(control, "value"):
            yield control
        elif hasattr(control, "children"):
            yield from _with_values(control.children)
