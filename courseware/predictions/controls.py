"""The controls that ask one question: buttons to choose from, or a box for a number with an OK button.

After the answer they stay where they are and change nothing any more. They are not taken away, and the one that was used is not
disabled: it has the focus, and JupyterLab takes the next keys from there. Not here: what is asked, and what is said to an answer
(prediction.py).
"""
from ..notebook import widgets
from ..notebook.controls import choice
from ..notebook.display import STYLE

OPEN = "<b>What do you expect?</b> {}, and what happened appears."
LATE = "<b>What did you expect?</b> {}: it counts as said afterwards."
CHOOSE, TYPE = "Choose", "Type a number and press Enter or OK"
ANSWERED = "<b>You have answered.</b> Your answer stays."


class AnswerControls:
    """Controls for one answer; `widget` is what to display. `controls.choice` says why they are made as they are.

    options: texts to choose from; None for a number
    number:  what is asked for where there are no options: "a number, in GB/s"
    answer:  is called with each answer; what it returns, HTML, stands below the controls
    lead:    HTML to stand above them, in the place of what stands there as a rule
    """

    def __init__(self, options, number, answer, lead=""):
        self._how = CHOOSE if options else TYPE
        self._on_answer, self._own_lead, self._answered = answer, lead, None
        self._lead, self._status = widgets.HTML(_lead(lead or OPEN.format(self._how))), widgets.HTML()
        if options:     # value=None: nothing is chosen beforehand
            self._entry = row = choice([(option.replace("`", ""), option) for option in options])    # a button has no code
        else:
            # Not at each key: over a slow network Enter would come before the last of them.
            self._entry = widgets.Text(description=number, continuous_update=False,
                                       style={"description_width": "initial"}, layout={"width": "18em"})
            ok = widgets.Button(description="OK", layout={"width": "auto"})
            ok.on_click(lambda _: self._takes(self._entry.value))
            row = widgets.Box([self._entry, ok], layout={"flex_flow": "row wrap"})
        self._entry.observe(lambda change: change["new"] not in (None, "") and self._takes(change["new"]), names="value")
        self.widget = widgets.VBox([self._lead, row, self._status])
        if not lead:
            self.widget.add_class("course-predict")     # the frame of the question's card, which stands further up

    def _takes(self, value):
        """A control was used, or was set back: then its value is the answer that was kept."""
        if self._answered is not None:
            self._entry.value = self._answered
        else:
            self._status.value = self._on_answer(value)

    def show_late(self):
        """What happened is shown, and there was no answer."""
        self._lead.value = _lead(LATE.format(self._how))

    def show_answered(self, answer):
        """The answer is in the record, however it was given: it is shown, and stays."""
        self._answered = self._entry.value = answer
        if hasattr(self._entry, "locked"):
            self._entry.locked = True
        self._status.value = ""
        if not self._own_lead:
            self._lead.value = _lead(ANSWERED)


def _lead(words):
    return f"{STYLE}<div style='margin:2px 0; line-height:1.5'>{words}</div>"
