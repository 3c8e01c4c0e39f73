"""Predictions: say what a cell will show before you run it, and compare.

    question = predict("00-equal-addresses", "Two plain integers. Are they equal?", ["equal", "different"])

shows the question with its options. Choose one there, or, where widgets do not work, in a cell of its own:

    question.answer("equal")

After the cell that shows what happens, `compare` sets both side by side, and answers what you said (replies/):

    question.compare("equal")

Until then you may change your mind. Afterwards the prediction stays; one that comes only then is kept as made
afterwards. The record
(notebook/progress_file.py) keeps it for the next day. Nothing that a learner does here raises an exception.
"""
import re

from course_lib.core.errors import WrongArgument

import ipywidgets as widgets

from .notebook.controls import choice
from .notebook.display import FOCUS, message, paragraphs, say, show
from .notebook.progress_file import record
from .replies import reply

# JupyterLab shows the first line of a folded output, and tools/keep_outputs.py puts the comparison first: so a
# notebook that was not run yet gives nothing away.
FIRST_LINE = "Predicted and observed\n"

_observed = {}      # name -> what this process has seen; a new kernel is a new chance to predict


def predict(name, question, options=None, *, unit="", tolerance=0.0):
    """Show a question, and return it as a Prediction.

    name:      of the prediction in the record: the lesson's two digits, a hyphen, and words: "03-zero-copy"
    question:  text; `so` is code
    options:   the answers to choose from, two or more texts; or a dict from each text to the observation that it
               stands for, which `compare` is then given; None for a question whose answer is a number
    unit:      of the number, such as "GB/s"
    tolerance: how far from the observed number still counts as right, as a part of it: 0.2 is 20 percent

    Raises WrongArgument for a name or options that cannot be.
    """
    if not re.fullmatch(r"\d\d-[a-z0-9-]+", str(name)):
        raise WrongArgument(f"{name!r} does not name a prediction: take the lesson's two digits and words, such as "
                            "'03-zero-copy'")
    observations = dict(options) if isinstance(options, dict) else {}
    if options is not None:
        options = [str(option) for option in options]
        if len(set(options)) != len(options) or len(options) < 2:
            raise WrongArgument(f"options {options}: give two or more different ones")
    made = Prediction(name, question, options, unit, tolerance, observations)
    made.show()
    return made


class Prediction:
    """A question, the learner's answer, and what was observed. `predict` makes it."""

    def __init__(self, name, question, options, unit, tolerance, observations):
        self.name, self.question, self.options, self.unit, self.tolerance = name, question, options, unit, tolerance
        self._observations = observations     # option -> what is observed where it is right
        self._status = widgets.HTML()
        if options:     # value=None: nothing is chosen beforehand
            self._input = choice(options)
        else:
            self._input = widgets.Text(description=self._number, continuous_update=False,
                                       style={"description_width": "initial"}, layout={"width": "22em"})
        self._refresh()
        self._input.observe(self._chosen, names="value")

    @property
    def _number(self):
        """What is asked for where there are no options."""
        return f"a number, in {self.unit}" if self.unit else "a number"

    @property
    def kept(self):
        """The answer in the record, as text; None where there is none that answers this question."""
        kept = record().entry("predictions", self.name).get("answer")
        return None if kept is None or self._read(kept) is None else kept

    def show(self):
        """Show the question (again)."""
        lines = [f"Predict: {self.question}", ""]
        lines += [f"  ( ) {option}" for option in self.options or [self._number]]
        example = repr(self.options[0]) if self.options else "3"
        lines += ["", "Choose before you run the next cell. Or, in a cell of its own, call the method answer of the "
                  f"variable that holds this question: .answer({example})"]
        head = widgets.HTML(f"{FOCUS}<div style='line-height:1.5'><b>Predict.</b> {paragraphs(self.question)}</div>")
        show("\n".join(lines), widget=widgets.VBox([head, self._input, self._status]))

    def answer(self, value):
        """Answer the question: the same as choosing in the widget. value: one of the options, or a number."""
        said = self._answer(value)
        self._refresh()
        say("\n".join([said, *record().news()]))

    def compare(self, observed):
        """Show the prediction beside what was observed, and a reply to an answer that was wrong.

        observed: one of the options, or the number; or, where the options came as a dict, what one of them stands for
        """
        observed = next((option for option, meant in self._observations.items() if meant == observed), observed)
        seen = self._told(observed)
        entry = record().entry("predictions", self.name)
        _observed[self.name] = observed
        if self.kept is None:
            good, said = None, ["You predicted: nothing yet. Next time, answer the question before you run this cell."]
        else:
            good = self._is_right(self.kept, observed)
            if "right" not in entry:
                record().update("predictions", self.name, right=good)
            said = [f"You predicted: {self._told(self.kept)}" + (" (afterwards)" if entry.get("after") else "")]
        said.append(f"Observed: {seen}")
        if good is not None:
            said[-1] += "\nAs you predicted." if good else "\nNot as you predicted."
        answered = reply(self.name, self.kept) if good is False else ""
        text = "\n\n".join(["\n".join(said), *filter(None, [answered]), *record().news()])
        show(text, FIRST_LINE + message(text, good))
        self._refresh()

    def _answer(self, value):
        """Take an answer into the record; returns the sentence that says what became of it."""
        text = self._read(value)
        if text is None:
            wanted = "one of " + ", ".join(map(repr, self.options)) if self.options else "a number, such as 12.5"
            return f"{value!r} is not an answer to this question: it takes {wanted}."
        entry = record().entry("predictions", self.name)
        if self.kept is not None and ("right" in entry or entry.get("after")):
            return f"The cell has run, and your prediction stays: {self._told(self.kept)}."
        after = self.name in _observed
        record().update("predictions", self.name, answer=text, after=after)
        if after:
            record().update("predictions", self.name, right=self._is_right(text, _observed[self.name]))
            return f"Kept: {self._told(text)}. The cell has already run, so it counts as said afterwards."
        return f"Kept: {self._told(text)}. Now run the next cell."

    def _chosen(self, change):
        """The widget's answer."""
        if change["new"] not in (None, "", self.kept):
            said = self._answer(change["new"])
            self._refresh(said)

    def _refresh(self, said=""):
        """Bring the widget up to date with the record. said: what became of a press on it, if there was one"""
        pressed = bool(said)
        entry, kept = record().entry("predictions", self.name), self.kept
        fixed = kept is not None and "right" in entry
        if kept is not None:
            self._input.value = kept
        self._input.disabled = fixed
        if not said and kept is not None:
            said = f"You predicted: {self._told(kept)}" + (" (afterwards)" if entry.get("after") else "") + "."
        self._status.value = message("\n".join([said, *record().news()]), announced=pressed) if said else ""

    def _read(self, value):
        """An answer as the record keeps it; None for what is no answer."""
        if self.options:
            return str(value) if str(value) in self.options else None
        try:
            number = float(str(value).replace(self.unit, "").strip() if self.unit else value)
        except (TypeError, ValueError):
            return None
        return f"{number:.6g}" if abs(number) < float("inf") else None

    def _told(self, value):
        text = self._read(value)
        if text is None:
            return str(value)
        return text if self.options else f"{text} {self.unit}".rstrip()

    def _is_right(self, kept, observed):
        if self.options or self._read(observed) is None:
            return kept == str(observed)
        said, seen = float(kept), float(self._read(observed))
        return abs(said - seen) <= self.tolerance * abs(seen) + 1e-9

    def __repr__(self):
        return f"<prediction {self.name}>"
