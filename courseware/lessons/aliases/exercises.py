"""Exercises of "Several addresses of one memory": memory to lend, and the other addresses of a byte."""
from ...exercises.exercise import Case, Exercise
from ...exercises.values import Label
from . import harness


def _aliases(description, layout, order, place, byte, hidden=True, granules=1):
    others = [Label(f"byte {byte} of place {number}") for number, letter in enumerate(layout)
              if letter == layout[place] != "." and number != place]
    return Case(description, (layout, order, place, byte, granules), others, hidden,
                f"other_addresses(mappings, address of byte {byte} of place {place}), where the memories are "
                + " ".join(layout))


aliases = Exercise(
    id="aliases", name="other_addresses", sandboxed=True, run=harness.other_addresses,
    cases=(_aliases("an address with one alias", "pqp", (0, 1, 2), 0, 100, False),
           _aliases("an address with no alias", "pqp", (2, 0, 1), 1, 0, False),
           _aliases("the address of the alias", "pqp", (2, 1, 0), 2, 4096),
           _aliases("memory that is mapped three times", "prqppr", (4, 2, 0, 5, 1, 3), 3, 99),
           _aliases("reserved addresses with nothing mapped", "p.pq", (2, 0, 3), 1, 12),
           _aliases("the first address of a mapping, behind another one", "pqqp", (3, 0, 2, 1), 1, 0),
           _aliases("the first byte of a mapping, with another one before it that is listed last", "pqp", (1, 2, 0), 1, 0),
           _aliases("the byte behind a mapping, where nothing is mapped", "p.pp", (2, 3, 0), 1, 0),
           _aliases("one mapping alone", "p.", (0,), 0, 7),
           _aliases("the end of a mapping of several granules", "pqp", (1, 2, 0), 0, 5 << 20, granules=3),
           _aliases("a byte further into its mapping than another memory is large", "PqP", (0, 1, 2), 0, (2 << 20) + 7),
           _aliases("the last byte of what is asked about", "qp.p", (3, 0, 1), 1, (1 << 16) - 1)))


def _lent(description, granules, size, hidden):
    return Case(description, (granules,), "one memory at two addresses, of which only the first may be written", hidden,
                f"lend(reservation.create({size}))")


lend = Exercise(
    id="lend", name="lend", sandboxed=True, run=harness.lend,
    cases=(_lent("memory of one granule", 1, "reservation.granularity()", False),
           _lent("memory of three granules", 3, "3 * reservation.granularity()", True)))


EXERCISES = (lend, aliases)
