"""Exercises of "Three libraries": where another library's array is."""
from ...exercises.exercise import Exercise
from . import harness

where_is = Exercise(id="where-is", name="where_is", run=harness.where, cases=harness.kinds_of_array)

EXERCISES = (where_is,)
