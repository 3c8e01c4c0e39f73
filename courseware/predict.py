"""Predictions: say what a cell will show, and then see it.

    late = predict("pinned-late-change")

shows a question with its options. The next cell tries it, and ends with

    late.compare(seen)

Below that cell stand buttons, what is said to the answer, and what the cell shows, in this order. The last is covered until the
question is answered. Whoever runs another cell without an answer sees it, too; the buttons stay, and an answer given then is kept
as made afterwards. A cell that is run again shows all of it again. Where no widgets work, a call in a cell of its own answers:
``late.answer("equal")``.

The record (notebook/progress_file.py) keeps a prediction for the next day. Where there is no record (COURSE_PROGRESS is off),
nothing is covered and there are no buttons: no learner is there. Nothing that a learner does here raises an exception.

Not here: the questions, with their options and the replies to wrong answers. They are data, in the predictions.toml of
each lesson's folder, so that nobody reads a reply before the question. The buttons: notebook/question.py. How outputs are covered:
notebook/covered.py.
"""
import difflib
import html
import re

from course_lib.core.errors import WrongArgument

from .course import LESSONS
from .notebook import covered
from .notebook.display import bundle, card, code, message, paragraphs, say, show
from .notebook.progress_file import is_off, record
from .notebook.question import Question

# name -> what a predictions.toml says of it
PREDICTIONS = {name: told for lesson in LESSONS for name, told in lesson.read("predictions.toml").items()}

RUN = "Run the cell that tries it: it asks for your answer before it shows anything."
OTHER = "any other number"      # the key of the reply to a number that has no reply of its own

_observed = {}      # name -> what this process has seen; a new kernel is a new chance to predict


def predict(name, **values):
    """Show a question of the lesson, and return it as a Prediction.

    name:   of the prediction: the lesson's topic, a hyphen, and words: "mapped-at-random"
    values: what only the run knows, by name: `start=...` stands in the question where it says {start}, and an option
            that stands for "{start}" is right where that value is observed

    Raises WrongArgument for a name that no lesson has, or for options that cannot be.
    """
    made = named(name, **values)
    made.show()
    variable = re.search(rf"^(\w+) = (?:\w+\.)*predict\(\s*[\"']{name}[\"']", _cell, re.MULTILINE)
    if variable and f"{variable[1]}.compare(" in _cell:      # one cell asks, tries and compares
        _cover({variable[1]: made})
    return made


def named(name, **values):
    """The Prediction of that name, which is not shown. Arguments and errors are those of `predict`."""
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
    return Prediction(name, question, list(options) if options else None, told.get("unit", ""),
                      told.get("tolerance", 0.0), _observations(options, values), told.get("replies", {}))


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

    @property
    def kept(self):
        """The answer in the record, as text; None where there is none that answers this question."""
        kept = record().entry("predictions", self.name).get("answer")
        return None if kept is None or self.read(kept) is None else kept

    @property
    def is_open(self):
        """Whether it may still be predicted: it has no answer, and nothing was observed."""
        return self.kept is None and self.name not in _observed

    def show(self):
        """Show the question (again)."""
        options = self.options or [self.number]
        lines = [f"Predict: {self.question}", "", *(f"  ( ) {option}" for option in options), "", RUN]
        # A line of text, not a list: what looks like buttons is pressed. Long answers have a line each.
        listed = " · ".join(options)
        if self.options and (len(listed) > 75 or max(map(len, options)) > 16):
            listed = "".join(f"\n– {option}" for option in options)
        listed = code(html.escape(listed)).replace("\n", "<br>")
        listed = f"<p style='margin:4px 0'>Answer{'s' * bool(self.options)}: {listed}</p>"
        show("\n".join(lines), card("Predict", paragraphs(self.question) + listed,
                                    RUN if self.kept is None else self._predicted + "."))

    def answer(self, value):
        """Answer the question: the same as choosing in the widget. value: one of the options, or a number."""
        waits = self.is_open
        said, taken = self.take(value)
        if not (taken and self.name in _shown and _shown[self.name].settles(self) and waits):
            say("\n".join([said, *record().news()]))

    def compare(self, observed):
        """Show the prediction beside what was observed, and a reply to an answer that was wrong.

        observed: one of the options, or the number; or, where the options stand for observations, what one stands for
        """
        plain = sorted(observed) if isinstance(observed, set) else _written(observed)
        observed = next((option for option, meant in self._observations.items() if meant == plain), observed)
        if _asked and _asked.takes(self, observed):
            return
        show(*self.compared(observed))

    def compared(self, observed, announced=False):
        """The comparison as text and HTML; from here on the question is not open. announced: a screen reader says it by itself"""
        entry = record().entry("predictions", self.name)
        _observed[self.name] = observed
        if self.kept is None:
            good, verdict, said = None, "You have not predicted.", []
        else:
            good = self.is_right(self.kept, observed)
            if "right" not in entry:
                self._judge(self.kept, observed)
            verdicts = ("Not right.", "Right.") if entry.get("after") else ("Not as you predicted.", "As you predicted.")
            verdict = verdicts[good]
            said = [self._predicted]
        said.append(f"Observed: {self.told(observed)}")
        answered = self.reply(self.kept) if good is False else ""
        text = "\n\n".join(["\n".join(said), *filter(None, [answered]), *record().news()])
        return f"{verdict}\n{text}", message(text, good, announced, verdict)

    def take(self, value):
        """Take an answer into the record; returns the sentence that says what became of it, and whether it was taken."""
        text = self.read(value)
        if text is None:
            wanted = "one of " + ", ".join(map(repr, self.options)) if self.options else "a number, such as 12.5"
            return f"{value!r} is not an answer to this question: it takes {wanted}.", False
        entry = record().entry("predictions", self.name)
        if self.kept is not None and ("right" in entry or entry.get("after")):
            return f"The cell has run, and your prediction stays: {self.told(self.kept)}.", False
        after = self.name in _observed
        record().update("predictions", self.name, answer=text, after=after)
        if after:
            self._judge(text, _observed[self.name])
            return f"Kept: {self.told(text)}. The cell has already run, so it counts as said afterwards.", True
        return f"Kept: {self.told(text)}. Now run the next cell.", True

    def _judge(self, text, observed):
        """Keep whether an answer is right, and what was observed if it is an answer too: courseware/again.py asks with it."""
        seen = self.read(observed)
        record().update("predictions", self.name, right=self.is_right(text, observed), **({} if seen is None else {"observed": seen}))

    def reply(self, kept):
        """What is said to an answer that was wrong; "" where there is nothing."""
        return self._replies.get(kept, self._replies.get(OTHER, ""))

    @property
    def number(self):
        """What is asked for where there are no options."""
        return f"a number, in {self.unit}" if self.unit else "a number"

    @property
    def _predicted(self):
        after = record().entry("predictions", self.name).get("after")
        return f"You {'said afterwards' if after else 'predicted'}: {self.told(self.kept)}"

    def read(self, value):
        """An answer as the record keeps it; None for what is no answer."""
        if self.options:
            return str(value) if str(value) in self.options else None
        try:
            number = float(str(value).replace(self.unit, "").strip() if self.unit else value)
        except (TypeError, ValueError):
            return None
        return f"{number:.6g}" if abs(number) < float("inf") else None

    def told(self, value):
        """An answer or an observation in words, a number with its unit."""
        text = self.read(value)
        if text is None:
            return str(value)
        return text if self.options else f"{text} {self.unit}".rstrip()

    def is_right(self, kept, observed):
        """Whether an answer, as the record keeps it, is what was observed."""
        if self.options or self.read(observed) is None:
            return kept == str(observed)
        said, seen = float(kept), float(self.read(observed))
        return abs(said - seen) <= self.tolerance * abs(seen) + 1e-9

    def __repr__(self):
        return f"<prediction {self.name}>"


class Asked:
    """A cell that compares: its outputs are covered, and shown below its questions when each is answered, or another cell runs.

    names: {name of a variable: the Prediction that it holds}
    """

    def __init__(self, names):
        self.names = names
        self._questions = {}        # Prediction -> (what was observed, its Question, the Place of what is said to the answer)
        self._waits_for = set()     # Predictions
        self._cover, self._places = covered.Cover(), None
        self._cover.put_on()

    @property
    def runs(self):
        """Whether its cell is not over."""
        return self._places is None

    def takes(self, prediction, observed):
        """Keep back a comparison, if the cell runs and asks for it."""
        if not self.runs or prediction not in self.names.values():
            return False
        asks = Question(prediction.options, prediction.number, lambda value: self._answered(prediction, value))
        self._questions[prediction] = observed, asks, covered.Place()
        return True

    def asks(self, failed):
        """The cell is over: ask what is still open, say the rest. Where the cell failed, it only shows what it had shown."""
        self._places = self._cover.take_off()
        if failed:
            self._questions = {}
        for name, prediction in self.names.items():
            if prediction in self._questions:
                _, asks, place = self._questions[prediction]
                example = repr(prediction.options[0]) if prediction.options else "3"
                how = f"Predict, and what happened appears. In a cell of its own: {name}.answer({example})"
                if prediction.is_open:
                    self._waits_for.add(prediction)
                covered.Place().show(bundle(how if prediction.kept is None else "", widget=asks.widget))
                place.show()
                _shown[prediction.name] = self
        self._places.show()
        for prediction in [*self._questions.keys() - self._waits_for]:
            self.settles(prediction, announced=False)
        self._uncover()

    def settles(self, prediction, announced=True):
        """Say the comparison, if it is of this cell; with the last one that it waits for, show what the cell showed."""
        if prediction not in self._questions:
            return False
        observed, asks, place = self._questions[prediction]
        place.fill(bundle(*prediction.compared(observed, announced)))
        if prediction.kept is None:
            asks.is_late()
        else:
            asks.is_answered(prediction.kept)
        self._waits_for.discard(prediction)
        self._uncover()
        return True

    def leaves(self):
        """Another cell is run: show everything. The buttons stay, for who goes back to answer."""
        for prediction in [*self._waits_for]:
            self.settles(prediction, announced=False)

    def _answered(self, prediction, value):
        """A control was used: returns what is to be said of it there."""
        said, taken = prediction.take(value)
        return "" if taken and self.settles(prediction) else message(said, announced=True)

    def _uncover(self):
        if not self._waits_for:
            self._places.fill()


_shown = {}         # name of a prediction -> the Asked whose cell showed it last
_asked = None       # the cell that waits, or runs under cover: an Asked
_cell = ""          # the code that runs


def before_cell(info):
    """IPython's `pre_run_cell`: cover the cell if it compares an open question."""
    global _cell, _asked
    _cell = info.raw_cell or ""
    if _asked and not re.search(r"\.answer\(", _cell):
        _asked.leaves()
        _asked = None
    names = {name: one for name, one in covered.shell().user_ns.items() if isinstance(one, Prediction)}
    _cover({name: one for name, one in names.items() if re.search(rf"^\s*{name}\.compare\(", _cell, re.MULTILINE)
            and not re.search(rf"^{name} = ", _cell, re.MULTILINE)})     # what is asked here, `predict` covers


def after_cell(result):
    """IPython's `post_run_cell`."""
    if _asked and _asked.runs:
        _asked.asks(failed=not result.success)


def _cover(names):
    """Cover what the cell that runs shows, for these questions."""
    global _asked
    if names and not is_off():
        if _asked and _asked.runs:
            _asked.names |= names
        else:
            _asked = Asked(names)


def install():
    """Have this notebook's kernel cover what waits for an answer. `import courseware.predict` calls it; elsewhere it does nothing."""
    if (shell := covered.shell()) and before_cell not in shell.events.callbacks["pre_run_cell"]:
        shell.events.register("pre_run_cell", before_cell)
        shell.events.register("post_run_cell", after_cell)


install()
