"""The kinds of exercise, by what an answer is: a function, a class, a table, CUDA C++ source, lines in order.

Each kind knows what its answers look like, which of them cannot be tried, and how to speak of them. What is the same
for all is in the modules that ask: judge.py, feedback.py, views.py.
"""
import inspect
import re
import textwrap

from ..notebook.words import listed

# How the reply to a starter begins, and a note to a solution that is not a learner's own; the site leaves them out.
STARTER, NOT_SOLVED = "This is still the starter.", "You have not solved"


class AnswerKind:
    """What an answer of a kind is, and what is told of it. The subclasses say where theirs differs."""

    description = ""        # what the learner writes: "a Python function"
    write = ""              # how its name follows that: "the Python function"
    types = ()              # what an answer is an instance of
    is_text = False         # the code is passed as text; then the starter cannot be run
    is_puzzle = False       # the lines are given, and put in order
    told_by_one_case = False    # one case that goes wrong as a listed mistake does tells the mistake
    cases = "cases"         # what is counted
    has_form = False        # its values are made by Python, where a list may stand for a tuple, and a float for an int
    put = "Replace the `...` with your code"

    def argument(self, exercise):
        """What stands in the place of the answer in ``check(id, ...)``."""
        return exercise.name

    def how(self, exercise, call):
        """The sentence that says what to do; `call` is the call of `check`."""
        return f"Write {self.write} `{exercise.name}`, then check it in a cell: `{call}`"

    def refusal(self, exercise, answer):
        """The sentence for an answer that cannot be tried; "" for one that can."""
        if self.fits(answer):
            return self.misfit(exercise, answer) or self._untouched(exercise, answer)
        call = f"`exercises.check({exercise.id!r}, {exercise.name})`"
        return f"The check wants {self._asked_for()}: {call}. It got {_article(answer)}."

    def _untouched(self, exercise, answer):
        if not self.is_starter(exercise, answer):
            return ""
        open_places = "..." in exercise.starter or "?" in exercise.starter
        put = self.where_to_put(exercise) if open_places else "Change what is wrong in it"
        return f"{STARTER} {put}; then run its cell and check again."

    def where_to_put(self, exercise):
        """What to do with a starter, up to "run its cell"."""
        return self.put

    def _asked_for(self):
        return self.description

    def fits(self, answer):
        """Is the answer of the right type?"""
        return isinstance(answer, self.types)

    def misfit(self, exercise, answer):
        """Why an answer of the right type cannot be tried; "" where it can."""
        return ""

    def is_starter(self, exercise, answer):
        """Is the answer the starter, as it was given? What it comes to says nothing: thought may come to as little."""
        return False

    def solved(self, verdict):
        """What is right about a solved exercise, in a sentence."""
        return f"All {verdict.of} cases are right, {verdict.hidden} of them hidden."

    def reason(self, exercise, trial):
        """What is wrong in a wrong case, where it is the same whatever else went wrong; else ""."""
        return ""

    def causes(self, exercise, answer, trial):
        """A set of what can be seen in an answer to lead to a wrong case. A listed mistake with other causes is not
        the one that was made, though it comes to the same."""
        return frozenset()

    def shows_example(self, trial):
        """Is the first wrong case to be shown, with what it should give and what it gave?"""
        return True

    def example(self, trial, expected, got):
        """The first wrong case as a sentence; `expected` and `got` are values as text."""
        outcome = trial.outcome
        lines = textwrap.indent(trial.call, "    ")
        if outcome.how == "altered":
            return f"For {trial.description}, this gives `{got}`, which is right, but {outcome.text}:\n\n{lines}"
        return f"For {trial.description}, this should give `{expected}`, and {_what_it_did(outcome, got)}:\n\n{lines}"


class FunctionAnswer(AnswerKind):
    """Called by the check, with arguments."""

    description, write = "a Python function", "the Python function"
    has_form = True

    def where_to_put(self, exercise):
        returns = "return" in exercise.solution
        return f"{self.put}, ending in a `return`" if returns else self.put

    def fits(self, answer):
        return callable(answer) and not isinstance(answer, type)

    def _asked_for(self):
        return "the function itself, without parentheses behind its name"

    def misfit(self, exercise, answer):
        signature = inspect.signature(exercise.answer(exercise.starter))
        try:
            theirs = inspect.signature(answer)
            theirs.bind(*signature.parameters)
        except ValueError:      # a built-in without a signature
            return ""
        except TypeError:
            number = len(signature.parameters)
            arguments = "1 argument" if number == 1 else f"{number} arguments"
            return (f"`{exercise.name}` is called with {arguments}, {signature}, and yours takes {theirs}: keep the "
                    "starter's first line.")
        return ""

    def is_starter(self, exercise, answer):
        return _same_code(answer, exercise.answer(exercise.starter))


class ClassAnswer(AnswerKind):
    """Used by the check, which makes its objects."""

    description, write = "a Python class", "the Python class"
    has_form = True
    types = type

    def is_starter(self, exercise, answer):
        starter = _functions(exercise.answer(exercise.starter))
        theirs = _functions(answer)
        return theirs.keys() == starter.keys() and all(_same_code(theirs[name], starter[name]) for name in starter)


class TableAnswer(AnswerKind):
    """Questions with their answers."""

    description = "a dict, with an answer for each question"
    types = dict
    told_by_one_case = True
    cases = "answers"
    put = "Replace each `\"?\"` with your answer"

    def how(self, exercise, call):
        return f"Fill in the dict `{exercise.name}`, then check it in a cell: `{call}`"

    def misfit(self, exercise, answer):
        starter = exercise.answer(exercise.starter)
        missing = [key for key in starter if key not in answer]
        return f"`{exercise.name}` has no answer for {missing[0]!r}: keep the starter's questions." if missing else ""

    def is_starter(self, exercise, answer):
        starter = exercise.answer(exercise.starter)
        return all(_unchanged(answer[key], value) for key, value in starter.items())

    def solved(self, verdict):
        return f"All {verdict.of} answers are right."

    def reason(self, exercise, trial):
        if trial.outcome.how != "value":
            return ""
        word = trial.outcome.value
        if exercise.options and word not in exercise.options:
            complaint = "has no answer yet" if word == "?" else f"is answered by `{word!r}`, which is not an option"
            return f"\"{trial.description}\" {complaint}. The options are {quoted(exercise.options)}."
        return f"`{word!r}` is not right for \"{trial.description}\"."

    def shows_example(self, trial):
        return False        # the right answer is not to be told


class SourceAnswer(AnswerKind):
    """Compiled and launched by the check."""

    description, write = "CUDA C++ source, as text", "CUDA C++ source, as text, called"
    types = str
    is_text = True

    def is_starter(self, exercise, answer):
        return "".join(answer.split()) == "".join(exercise.starter.split())

    def example(self, trial, expected, got):
        return f"For {trial.description}, {trial.call} should be:\n\n    {expected}\n\nand this came:\n\n    {got}"

    def reason(self, exercise, trial):
        outcome = trial.outcome
        if outcome.how == "raised" and not outcome.value.startswith("CUDA_ERROR"):
            return f"The kernel cannot be launched as the check launches it: {outcome.text}"
        return ""

    def shows_example(self, trial):
        return trial.outcome.how == "value"       # else nothing ran


class OrderAnswer(AnswerKind):
    """Lines of a program, which the check runs in the order of the answer."""

    description = "the lines of a program in order, as text: their names with spaces between them"
    types = (str, list, tuple)
    is_text = is_puzzle = True

    def argument(self, exercise):
        return '"..."'

    def how(self, exercise, call):
        return f"Put the lines in order here, or by their names in a cell: `{call}`"

    def misfit(self, exercise, answer):
        names = order_of(answer)
        unknown = [name for name in names if name not in exercise.lines]
        missing = [name for name in exercise.lines if name not in names]
        twice = [name for name in names if names.count(name) > 1]
        if not names:
            return f"Give the lines in order, by their names: `exercises.check({exercise.id!r}, \"...\")`"
        if unknown:
            return f"There is no line {unknown[0]!r}. The lines are {', '.join(sorted(exercise.lines))}."
        if missing:
            return f"The line {missing[0]!r} is missing."
        return f"The line {twice[0]!r} comes more than once." if twice else ""

    def solved(self, verdict):
        return "In your order every call succeeds."

    def causes(self, exercise, answer, trial):
        """What is out of place around the line that fails: which lines come after it, and should not, or before it."""
        sentence = str(trial.outcome.value)
        failing = next((name for name, line in exercise.lines.items() if sentence.startswith(f"`{line}`")), None)
        if failing is None:
            return frozenset()
        above = _above(failing, order_of(answer))
        above_in_solution = _above(failing, order_of(exercise.solution))
        missing = {("missing", name) for name in above_in_solution - above}
        early = {("early", name) for name in above - above_in_solution}
        return frozenset(missing | early)

    def reason(self, exercise, trial):
        return "In this order it does not work." if trial.outcome.how == "value" else ""

    def shows_example(self, trial):
        return trial.outcome.how == "value"

    def example(self, trial, expected, got):
        return f"The call that fails: {trial.outcome.value}."


def quoted(options):
    """Words as they stand in a sentence: ``quoted(("a", "b")) -> '`"a"` and `"b"`'``."""
    return listed([f'`"{option}"`' for option in options])


KINDS = {
    "function": FunctionAnswer(),
    "class": ClassAnswer(),
    "table": TableAnswer(),
    "source": SourceAnswer(),
    "order": OrderAnswer(),
}


def order_of(answer):
    """The names in an answer of kind "order": ``order_of("b, a c") -> ["b", "a", "c"]``."""
    return re.findall(r"[\w-]+", answer) if isinstance(answer, str) else [str(name) for name in answer]


def _what_it_did(outcome, got):
    """What came of a case, as a verb: "raises TypeError"."""
    if outcome.how == "raised":
        return f"raises {outcome.value}"
    if outcome.how == "changed":
        return f"gives `{got}` the second time"
    return {"endless": "was stopped before its end", "ended": "ends its process"}.get(outcome.how, f"gives `{got}`")


def _above(name, names):
    """The names that stand before a name."""
    return set(names[:names.index(name)])


def _unchanged(answer, value):
    """Is a value of the starter still there? A learner's class may say that it equals anything."""
    return type(answer) is type(value) and answer == value


def _functions(cls):
    return {name: value for name, value in vars(cls).items() if inspect.isfunction(value)}


def _same_code(function, starter_function):
    """Do two functions consist of the same instructions? Where they stand, and what they are called, does not count."""
    return inspect.isfunction(function) and _instructions(function.__code__) == _instructions(starter_function.__code__)


def _instructions(code):
    constants = tuple(map(_constant, code.co_consts))
    return code.co_code, code.co_names, constants


def _constant(constant):
    return _instructions(constant) if inspect.iscode(constant) else (type(constant), constant)


def _article(answer):
    if answer is None:
        return "nothing"
    name = type(answer).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
