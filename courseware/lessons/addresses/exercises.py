"""Exercises of "Addresses from Python": where an array's elements are, who may go there, and what a number keeps."""
from ...exercises.exercise import Case, Exercise
from . import harness

read_element = Exercise(
    id="read-element", name="read_element", sandboxed=True, run=harness.read_element,
    cases=tuple(Case(description, (shape, kind, strides, row, column), expected, hidden,
                     f"read_element(array, {row}, {column})")
                for description, shape, kind, strides, row, column, expected, hidden in (
        ("an element of the first row of 3 by 5 numbers", (3, 5), "float32", None, 0, 2, 2.0, False),
        ("an element inside 3 by 5 numbers", (3, 5), "float32", None, 1, 3, 13.0, False),
        ("rows of 4 with gaps between them", (7, 4), "float64", (512, 8), 5, 3, 53.0, True),
        ("an array that is stored column by column", (6, 9), "int16", (2, 12), 4, 7, 47, True),
        ("the last row of 8 by 3 bytes", (8, 3), "uint8", None, 7, 1, 71, True),
        ("every second column of an array", (4, 5), "int32", (40, 8), 3, 4, 34, True),
        ("the first element of all", (5, 2), "int64", (64, 8), 0, 0, 0, True))) + (
        Case("an array with other numbers in it", ((4, 6), "int32", None, 2, 5, 3000), 3025, True, "read_element(array, 2, 5)"),))

spy = Exercise(
    id="spy", name="spy", sandboxed=True, run=harness.spy,
    cases=(Case("memory with nothing beside it", (4711, 0), harness.SECRET, False, "spy(make_secret, look)"),
           Case("memory with another array beside it", (-3, 1), harness.SECRET, True, "spy(make_secret, look)"),
           Case("memory with several arrays beside it", (2**31 - 1, 3), harness.SECRET, True, "spy(make_secret, look)")))

follow = Exercise(id="follow", name="follow", kind="table")

EXERCISES = (read_element, spy, follow)
