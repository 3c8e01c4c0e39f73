"""Exercises of "Why only one direction is a function": what each objection counts against, and what would refute the answer."""

from ...exercises.exercise import Exercise

counts_against = Exercise(id="counts-against", name="counts_against", kind="table")

would_refute = Exercise(id="would-refute", name="would_refute", kind="table")

EXERCISES = (counts_against, would_refute)
