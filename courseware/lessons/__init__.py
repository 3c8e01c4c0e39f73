"""A folder for each lesson, with all that is that lesson's. course.py has the lessons in order.

    exercises.py        the table of its exercises: statements, hints, mistakes, cases
    harness.py          tries the answers, where they need memory that is made for them
    starters/           the code to begin with;  solutions/  one that is right;  mistakes/  those that are whole programs
    attempts.toml       right and wrong answers to the exercises, with what the wrong ones are told: the tests judge them
    predictions.toml    its questions, with their options and the replies to wrong answers
    objectives.toml     three things that a learner can do afterwards: the guide and the site show them
    exam.toml           its listings of the exam

Not here: what an exercise is, and how it is judged (exercises/); predictions themselves (predictions/).
"""
from .. import exercises  # noqa: F401  (it reads the lessons, and has to be whole before one of them is imported alone)
