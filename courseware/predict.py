"""Predictions: say what a cell will show before you run it, and compare.

    question = predict("views-same-number")

shows a question with its options. Choose one there, or, where widgets do not work, in a cell of its own:

    question.answer("equal")

After the cell that shows what happens, `compare` sets both side by side, and answers what you said:

    question.compare(True)

Until then you may change your mind. Afterwards the prediction stays; one that comes only then is kept as made
afterwards. The record (notebook/progress_file.py) keeps it for the next day. Nothing that a learner does here raises an
exception.

Not here: the questions, with their options and the replies to wrong answers. They are data, in the predictions.toml of
each lesson's folder, so that nobody reads a reply before the question.
"""
import difflib

from course_lib.core.errors import WrongArgument

import ipywidgets as widgets

from .course import LESSONS
from .notebook.controls import choice
from .notebook.display import FOCUS, message, paragraphs, say, show
from .notebook.progress_file import record

# name -> what a predictions.toml says of it
PREDICTIONS = {name: told for lesson in LESSONS for name, told in lesson.read("predictions.toml").items()}

# JupyterLab shows the first line of a folded output, and tools/keep_outputs.py puts the comparison first: so a
# notebook that was not run yet gives nothing away.
FIRST_LINE = "Predicted and observed\n"
OTHER = "any other number"      # the key of the reply to a number that has no reply of its own

_observed = {}      # name -> what this process has seen; a new kernel is a new chance to predict


def predict(name, **values):
    """Show a question of the lesson, and return it as a Prediction.

    name:   of the prediction: the lesson's topic, a hyphen, and words: "mapped-in-place"
    values: what only the run knows, by name: `start=...` stands in the question where it says {start}, and an option
            that stands for "{start}" is right where that value is observed

    Raises WrongArgument for a name that no lesson has, or for options that cannot be.
    """
    if name not in PREDICTIONS:
        near = difflib.get_close_matches(str(name), PREDICTIONS, n=3, cutoff=0.6)
        raise WrongArgument(f"There is no prediction {name!r}. "
                            + (f"Did you mean {' or '.join(map(repr, near))}?" if near else
                               "The names are in the files predictions.toml of the lessons."))
    told = PREDICTIONS[name]
    question, options = told["question"], told.get("options")
    for key, value in values.items():
        question = question.replace(f"{{{key}}}", str(value))
    if options is not None and (len(set(options)) != len(options) or len(options) < 2):
        raise WrongArgument(f"options {list(options)} of {name!r}: give two or more different ones")
    made = Prediction(name, question, list(options) if options else None, told.get("unit", ""),
                      told.get("tolerance", 0.0), _observations(options, values), told.get("replies", {}))
    made.show()
    return made


def _observations(options, values):
    """{option: what is observed where it is right}, for options that stand for an observation."""
    if not isinstance(options, dict):
        return {}
    known = {f"{{{key}}}": value for key, value in values.items()}
    return {option: known[meant] if isinstance(meant, str) and meant in known else _value(meant)
            for option, meant in options.items()}


def _value(told):
    """What is written in TOML, which has no None: {} stands for it."""
    if isinstance(told, list):
        return [_value(one) for one in told]
    return None if told == {} else told


def _written(observed):
    """An observation with lists in the place of tuples, which TOML has not."""
    return [_written(one) for one in observed] if isinstance(observed, (tuple, list)) else observed


class Prediction:
    """A question, the learner's answer, and what was observed. `predict` makes it.

    options:      the answers to choose from, texts; None for a question whose answer is a number
    unit:         of the number, such as "GB/s"
    tolerance:    how far from the observed number still counts as right, as a part of it: 0.2 is 20 percent
    observations: {option: the observation that it stands for}, which `compare` is then given
    replies:      {answer: what is said to it where it was wrong}
    """

    def __init__(self, name, question, options, unit, tolerance, observations, replies):
        self.name, self.question, self.options, self.unit, self.tolerance = name, question, options, unit, tolerance
        self._observations, self._replies = observations, replies
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

        observed: one of the options, or the number; or, where the options stand for observations, what one stands for
        """
        plain = sorted(observed) if isinstance(observed, set) else _written(observed)
        observed = next((option for option, meant in self._observations.items() if meant == plain), observed)
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
        answered = self._replies.get(self.kept, self._replies.get(OTHER, "")) if good is False else ""
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
