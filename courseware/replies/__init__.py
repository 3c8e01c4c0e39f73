"""What a learner is told who predicted something else than what was observed: what the answer takes for granted.

A module for each lesson has a table of them: {name of the prediction: {the answer: the reply}}. They stand here and not
in the notebooks, so that nobody reads a reply before the question. A question for a number may have replies to likely
numbers, and one under OTHER to every other.

Not here: the questions (they stand in the notebooks), and what is right (the cell that is run shows it).
"""
import importlib
import pkgutil

from .other import OTHER

REPLIES = {name: replies for module in pkgutil.iter_modules(__path__) if module.name.startswith("lesson")
           for name, replies in importlib.import_module(f".{module.name}", __name__).REPLIES.items()}


def reply(name, answer):
    """The reply to an answer that turned out wrong.

    name:   of the prediction, such as "00-same-number"
    answer: as text: one of the question's options, or a number

    Returns "" where there is none.
    """
    replies = REPLIES.get(name, {})
    return replies.get(answer, replies.get(OTHER, ""))
