"""Exercises of "Virtual reservations": addresses without memory, and the steps to memory."""
from ...exercises.exercise import Exercise
from . import harness

reserve_for = Exercise(
    id="reserve-for", name="reserve_for", sandboxed=True, run=harness.reserve_for, cases=harness.sizes)


vmm_order = Exercise(
    id="vmm-order", name="order", kind="order", run=harness.put_in_order, cases=harness.order_cases)

EXERCISES = (reserve_for, vmm_order)
