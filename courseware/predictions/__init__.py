"""Predictions: say what a cell will show, and then see it.

    late = predict("pinned-in-turns")

shows a question in a box, with buttons. After an answer the next cell is the active one. It tries the question, and
ends with

    late.compare(seen)

Below that cell stand what is said to the answer, and what the cell shows, in this order. Both are covered until the
question is answered. Whoever runs another cell without an answer sees them as well; the buttons stay, and an answer
given then is kept as made afterwards. A cell that is run again shows all of it again. Where no widgets work, a call in
a cell of its own answers: ``late.answer("equal")``. Nothing that a learner does here raises an exception.

    catalogue.py    the questions of all lessons, from the predictions.toml of each lesson's folder
    question.py     what is asked, which answers there are, and which is right
    prediction.py   a question, and the learner's answer to it in the record
    session.py      what this kernel has asked and observed; the cell that waits for an answer
    cover.py        what a cell shows, covered
    controls.py     the buttons
    again.py        a missed prediction, asked again at the end of a later lesson

The record (notebook/progress_file.py) keeps a prediction for the next day. Where there is no record (COURSE_PROGRESS is
off), nothing is covered and there are no buttons: no learner is there.
"""
from .catalogue import question
from .prediction import Prediction
from .session import PredictionSession

SESSION = PredictionSession()    # of this process: a kernel runs one notebook
SESSION.install()


def predict(name, **values):
    """Show a question of the lesson, and return it as a Prediction.

    name:   of the prediction: the lesson's topic, a hyphen, and words: "mapped-past-the-end"
    values: what only the run knows, by name: `start=...` stands in the question where it says {start}, and an option
            that stands for "{start}" is right where that value is observed

    Raises WrongArgument for a name that no lesson has, or for options that cannot be.
    """
    prediction = Prediction(question(name, **values), SESSION)
    prediction.show()
    SESSION.asks(prediction)
    return prediction
