"""Exercises of "Bandwidth": when pinning pays."""
from ...exercises.exercise import Case, Exercise


def _costs(source):
    """Numbers whose quotient is no whole number, nor near one: how a float is rounded is not asked."""
    pageable = source.randint(4, 20) * 1e9
    pinned = pageable * source.choice([0.8, 1, 1.1, 1.5, 2.5, 4])
    nbytes, copies = source.choice([1e6, 64e6, 1e9]), source.randrange(60) + source.choice([0.2, 0.35, 0.6, 0.8])
    return nbytes, copies * abs(nbytes / pageable - nbytes / pinned) or 0.04, pageable, pinned


pays = Exercise(
    id="pinning-pays", name="pays_after", random_case=_costs,
    cases=(Case("a fourfold rate", (100e6, 0.04, 12.5e9, 50e9), 7),
           Case("equal rates", (100e6, 0.04, 10e9, 10e9), None),
           Case("registering, which costs less", (512e6, 0.0154, 9.1e9, 54.7e9), 1, True),
           Case("pinning that costs much", (64e6, 0.9, 8e9, 24e9), 169, True),
           Case("pinned copies that are slower", (1e6, 0.01, 12e9, 11e9), None, True),
           Case("a cost of exactly three savings", (8e6, 12.0, 1e6, 2e6), 3, True),
           Case("a cost of exactly one saving", (8e6, 4.0, 1e6, 2e6), 1, True),
           Case("a small gain", (1e9, 0.31, 20e9, 21e9), 131, True)))

EXERCISES = (pays,)
