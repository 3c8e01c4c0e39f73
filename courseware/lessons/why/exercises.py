"""The exercise of "Why only one direction is a function": what each objection counts against."""

from ...exercises.exercise import Exercise

counts_against = Exercise(id="counts-against", name="counts_against", kind="table")

EXERCISES = (counts_against,)
