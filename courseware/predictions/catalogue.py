"""The questions of all lessons, by name. They are data, in the predictions.toml of each lesson's folder, so that nobody
reads a reply before the question.

Not here: what a Question is (question.py).
"""
import difflib

from course_lib.core.errors import WrongArgument

from ..course import LESSONS
from .question import Question

# name -> what a predictions.toml says of it
PREDICTIONS = {name: table for lesson in LESSONS for name, table in lesson.read("predictions.toml").items()}


def question(name, **values):
    """The Question of a name. values: what only the run knows, see `predict`. Raises WrongArgument, as `predict`
    does."""
    if name not in PREDICTIONS:
        near = difflib.get_close_matches(str(name), PREDICTIONS)
        raise WrongArgument(f"There is no prediction {name!r}. "
                            + (f"Did you mean {' or '.join(map(repr, near))}?" if near else
                               "The names are in the files predictions.toml of the lessons."))
    table = PREDICTIONS[name]
    text, options = table["question"], table.get("options")
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", str(value))
    if options is not None and (len(set(options)) != len(options) or len(options) < 2):
        raise WrongArgument(f"options {list(options)} of {name!r}: give two or more different ones")
    return Question(name, text, list(options) if options else None, table.get("unit", ""), table.get("tolerance", 0.0),
                    _observations(options, values), table.get("replies", {}))


def _observations(options, values):
    """{option: what is observed where it is right}, for options that stand for an observation."""
    if not isinstance(options, dict):
        return {}
    values_of = {f"{{{key}}}": value for key, value in values.items()}
    return {option: values_of[meant] if isinstance(meant, str) and meant in values_of else _value(meant)
            for option, meant in options.items()}


def _value(written):
    """What is written in TOML, which has no None: {} stands for it."""
    if isinstance(written, list):
        return [_value(element) for element in written]
    return None if written == {} else written
