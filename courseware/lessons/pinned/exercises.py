"""Exercises of "Pinned memory": flags that nobody asked for, and the staging copy."""
from ...exercises.exercise import Case, Exercise
from . import harness

unasked = Exercise(
    id="unasked-flags", name="unasked", sandboxed=True, run=harness.unasked, cases=harness.every_combination)


def _of_a_copy(description, nbytes, room, hidden=True):
    number = -(-nbytes // room)
    return Case(description, (nbytes, room), " ".join(map(str, range(1, number + 1))) or "no pieces", hidden,
                f"staged_copy({nbytes} bytes, target, {room} bytes, stream): the piece at the place of each")


staged = Exercise(
    id="staged-copy", name="staged_copy", sandboxed=True, run=harness.staged_copy,
    cases=(_of_a_copy("10 bytes and a buffer of 4", 10, 4, False), _of_a_copy("12 bytes and a buffer of 4", 12, 4),
           _of_a_copy("50000 bytes and a buffer of 16384", 50000, 16384),
           _of_a_copy("fewer bytes than the buffer has", 100, 256)))

EXERCISES = (unasked, staged)
