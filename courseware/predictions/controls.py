"""The controls of a question: its text in a frame, buttons to choose from or a box for a number, and what was said to
the answer.

After the answer they stay where they are. They are not taken away, and the one that was used is not disabled, because
it has the focus. Not here: what is asked, and what is said to an answer (prediction.py).
"""
from ..notebook import widgets
from ..notebook.controls import choice
from ..notebook.display import STYLE

# In JupyterLab a click on a button makes its cell the active one, and the next Shift+Enter would ask again. So after an
# answer the cell below gets the focus, if it is still here. An image that cannot be loaded runs this; in other
# notebooks it does nothing.
GO_ON = """<img alt="" src="data:," style="display:none" onerror="
const cell = this.closest('.jp-Cell'), next = cell?.nextElementSibling;
if (next && cell.contains(document.activeElement)) { next.tabIndex = -1; next.focus(); }">"""


class AnswerControls:
    """Controls for one answer; `widget` is what to display. `controls.choice` says why they are made as they are.

    lead:    HTML to stand above them: what is asked
    options: texts to choose from; None for a number
    number:  what is asked for where there are no options: "a number, in GB/s"
    answer:  is called with each answer
    """

    def __init__(self, lead, options, number, answer):
        self._on_answer, self._answered = answer, None
        self._status = widgets.HTML()
        if options:     # value=None: nothing is chosen beforehand
            # A button has no code.
            self._entry = row = choice([(option.replace("`", ""), option) for option in options])
        else:
            # Not at each key: over a slow network Enter would come before the last of them.
            self._entry = widgets.Text(description=number, continuous_update=False,
                                       style={"description_width": "initial"}, layout={"width": "18em"})
            ok = widgets.Button(description="OK", layout={"width": "auto"})
            ok.on_click(lambda _: self._takes(self._entry.value))
            row = widgets.Box([self._entry, ok], layout={"flex_flow": "row wrap"})
        self._entry.observe(lambda change: change["new"] not in (None, "") and self._takes(change["new"]),
                            names="value")
        question = widgets.HTML(f"{STYLE}<div style='line-height:1.5'>{lead}</div>")
        self.widget = widgets.VBox([question, row, self._status])
        self.widget.add_class("course-predict")

    def _takes(self, value):
        """A control was used, or was set back: then its value is the answer that was kept."""
        if self._answered is not None:
            self._entry.value = self._answered
        else:
            self._on_answer(value)

    def say(self, html):
        """Put a sentence below the controls."""
        self._status.value = html

    def show_answered(self, answer):
        """The answer is in the record, however it was given: it is shown, and stays."""
        self._answered = self._entry.value = answer
        if hasattr(self._entry, "locked"):
            self._entry.locked = True
