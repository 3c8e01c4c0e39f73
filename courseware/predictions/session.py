"""What this notebook's kernel has asked and observed, and the cell that waits for an answer.

A cell that compares is known before it runs, by its syntax tree: a call `late.compare(...)`, where `late` is a
Prediction, or is made one by this cell. IPython's events say when a cell begins and ends.

Not here: how outputs are covered (cover.py), and what is said of an answer (prediction.py).
"""
import ast

from ..notebook.display import bundle, message
from ..notebook.progress_file import is_off
from . import cover
from .prediction import Prediction


class PredictionSession:
    """The predictions of one kernel.

    observed: {name of a question: what was observed}
    shown:    the names of those whose observation was shown: an answer to one of these comes afterwards
    """

    def __init__(self):
        self.observed, self.shown = {}, set()
        self._covered = None    # the CoveredCell that waits, or runs
        self._last = {}         # name of a question -> the CoveredCell that showed it last
        self._code = CellCode("")    # of the cell that runs

    def install(self):
        """Have this notebook's kernel cover what waits for an answer; outside of a notebook nothing happens."""
        if shell := cover.shell():
            shell.events.register("pre_run_cell", self._before_cell)
            shell.events.register("post_run_cell", self._after_cell)

    def asks(self, prediction):
        """A question was shown: where the same cell tries it and compares, what it shows from here on is covered."""
        if variable := self._code.variable_of.get(prediction.question.name):
            self._cover({variable: prediction})

    def keeps_back(self, prediction):
        """Whether a comparison waits, since a covered cell makes it."""
        return bool(self._covered and self._covered.runs and self._covered.waits_to_compare(prediction))

    def uncovers(self, prediction, entry):
        """Show what a cell kept back for this answer; returns whether there is such a cell. entry: of the record"""
        name = prediction.question.name
        return name in self._last and self._last[name].tell(prediction, entry)

    def _before_cell(self, info):
        """IPython's `pre_run_cell`: cover the cell if it compares an open question."""
        # IPython before 9 hands over no transformed cell.
        shell = cover.shell()
        self._code = CellCode(getattr(info, "transformed_cell", None) or shell.transform_cell(info.raw_cell or ""))
        predictions = {variable: value for variable, value in shell.user_ns.items() if isinstance(value, Prediction)}
        if self._covered and not self._code.answered_variables & predictions.keys():
            self._covered.leave()
            self._covered = None
        self._cover({variable: predictions[variable] for variable in self._code.compared_variables
                     if variable in predictions and variable not in self._code.variable_of.values()})

    def _after_cell(self, result):
        """IPython's `post_run_cell`."""
        if self._covered and self._covered.runs:
            for name in self._covered.end(failed=not result.success):
                self._last[name] = self._covered
            if not result.success:
                self.observed = {name: observed for name, observed in self.observed.items() if name in self.shown}

    def _cover(self, predictions):
        """Cover what the cell that runs shows. predictions: {name of a variable: the Prediction that it holds}"""
        if predictions and not is_off():
            if not (self._covered and self._covered.runs):
                self._covered = CoveredCell()
            self._covered.predictions |= predictions


class CellCode:
    """What a cell does with predictions, by its syntax tree.

    compared_variables, answered_variables: those with a call of `.compare(...)`, or `.answer(...)`
    variable_of:                            {name of a question: the variable that compares it}, for
                                            `variable = predict("name")`
    """

    def __init__(self, source):
        try:
            nodes = list(ast.walk(ast.parse(source)))
        except (SyntaxError, ValueError):       # the cell fails, and IPython says why
            nodes = []
        calls = [node.func for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
                 and isinstance(node.func.value, ast.Name)]
        self.compared_variables = list(dict.fromkeys(call.value.id for call in calls if call.attr == "compare"))
        self.answered_variables = {call.value.id for call in calls if call.attr == "answer"}
        self.variable_of = {name.value: variable.id for node in nodes
                            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
                            for variable in node.targets for name in node.value.args[:1]
                            if isinstance(variable, ast.Name) and variable.id in self.compared_variables
                            and isinstance(name, ast.Constant)}


class CoveredCell:
    """A cell that compares: its outputs are covered, and shown when each of its questions is answered, or another cell
    runs.

    predictions: {name of a variable: the Prediction that it holds}
    """

    def __init__(self):
        self.predictions = {}
        self._compared = {}         # Prediction -> the Place of what is said to the answer
        self._waits_for = set()     # Predictions
        self._cover, self._places = cover.Cover(), None
        self._cover.put_on()

    @property
    def runs(self):
        """Whether it is not over."""
        return self._places is None

    def waits_to_compare(self, prediction):
        """Keep back a comparison until the cell is over; returns whether it is one of this cell's."""
        if prediction not in self.predictions.values():
            return False
        self._compared[prediction] = cover.OutputPlace()
        return True

    def end(self, failed):
        """The cell is over: tell what is answered, and wait for the rest. Where it failed, it only shows what it had
        shown.

        Returns the names of the questions that it compares.
        """
        self._places = self._cover.take_off()
        if failed:
            self._compared = {}
        for variable, prediction in self.predictions.items():
            if prediction in self._compared:
                entry = prediction.judged()
                if prediction.is_open(entry):
                    self._waits_for.add(prediction)
                    self._compared[prediction].show(bundle(*waiting(variable, prediction.question)))
                else:
                    self._compared[prediction].show(bundle(*prediction.comparison(entry)))
        self._places.show()
        self._uncover()
        return [prediction.question.name for prediction in self._compared]

    def tell(self, prediction, entry, announced=True):
        """Show the comparison, if it is of this cell; with the last one that it waits for, what the cell showed."""
        if prediction not in self._compared:
            return False
        self._compared[prediction].fill(bundle(*prediction.comparison(entry, announced)))
        self._waits_for.discard(prediction)
        self._uncover()
        return True

    def leave(self):
        """Another cell is run: show everything. Who goes back may still answer."""
        for prediction in [*self._waits_for]:
            self.tell(prediction, {}, announced=False)

    def _uncover(self):
        if not self._waits_for:
            self._places.fill()


def waiting(variable, question):
    """What stands in the place of a comparison until its question is answered: text and HTML. variable: that holds
    it"""
    example = repr(question.options[0]) if question.options else "3"
    text = ("Answer the question above first, and what happened appears here. "
            f"In a cell of its own: `{variable}.answer({example})`")
    return text.replace("`", ""), message(text)
