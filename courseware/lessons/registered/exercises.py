"""Exercises of "Registered memory": what registering answers, and registrations that nobody knows of."""
from ...exercises.exercise import Case, Exercise
from . import harness

answer_of = Exercise(
    id="leave-no-trace", name="answer_of", sandboxed=True, run=harness.answer_of, cases=harness.ranges)

register_anyway = Exercise(
    id="stale-registration", name="register_anyway", sandboxed=True, run=harness.register_anyway,
    cases=(*(Case(description, (stale,), "registered, as one range", hidden, "register_anyway(start + 8192, 12288)")
                for description, stale, hidden in (
                    ("pages that nobody registered", (), False),
                    ("pages that are registered already", ((2, 3),), False),
                    ("an old range that begins there, and is shorter", ((2, 1),), True),
                    ("an old range that begins before", ((0, 3),), True),
                    ("an old range that ends behind", ((4, 4),), True), ("an old range within", ((3, 1),), True),
                    ("two old ranges, with a free page between", ((1, 2), (4, 2)), True),
                    ("one old range around all", ((0, 8),), True),
                    ("an old range beside it, which stays", ((6, 2),), True),
                    ("old ranges that touch it, which stay", ((1, 1), (5, 2)), True))),
        Case("five pages, of which the last is registered", (((6, 1),), 5), "registered, as one range", True,
             "register_anyway(start + 8192, 20480)")))


register_order = Exercise(
    id="register-order", name="order", kind="order", run=harness.put_in_order, cases=harness.order_cases)

EXERCISES = (answer_of, register_anyway, register_order)
