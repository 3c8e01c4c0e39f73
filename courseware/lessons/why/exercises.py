"""Exercises of "Why only one direction is a function": which argument hits which direction, and which are judgements."""

from ...exercises.exercise import Exercise

which_direction = Exercise(id="which-direction", name="hits", kind="table")

EXERCISES = (which_direction,)
