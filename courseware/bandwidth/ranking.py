"""Which curve is ahead, where, and from where on: the facts that a plot's sentence states.

Curves are compared only at an x that all of them have, by their medians. Those within 3 % of the best count as alike:
two runs on one machine differ by about as much. Not here: the sentences (summaries.py).
"""
import itertools
from dataclasses import dataclass

CLOSE = 0.03


@dataclass(frozen=True)
class Standing:
    """Who leads at `x`."""

    x: float
    leaders: tuple      # of curves: within 3 % of the best, in the order in which they were given
    others: tuple       # not; the best first
    since: float        # from here to x every leader is better than every other, at each x between
    smallest_x: float   # that all curves have


def shared(curves):
    """Every x at which all of these curves were measured, in order."""
    return sorted(set.intersection(*(set(curve.medians) for curve in curves))) if curves else []


def standing(curves, x=None):
    """The Standing of curves, where more is better, at x, by default the largest that all have; None where they have
    none in common."""
    places = shared(curves)
    if not places:
        return None
    x = places[-1] if x is None else x
    ranked = sorted(curves, key=lambda curve: curve.medians[x], reverse=True)
    leaders = [curve for curve in curves if alike(curve.medians[x], ranked[0].medians[x])]
    others = ranked[len(leaders):]
    since = x
    for earlier in reversed(places[:places.index(x)]):
        if not _apart(leaders, others, earlier):
            break
        since = earlier
    return Standing(x, tuple(leaders), tuple(others), since, places[0])


def alike(median, second_median):
    """True for two medians within 3 % of the larger."""
    return abs(median - second_median) <= CLOSE * max(median, second_median)


def _apart(leaders, others, x):
    """True if at x every leader has more than every other."""
    return bool(others) and min(curve.medians[x] for curve in leaders) > max(curve.medians[x] for curve in others)


def clearly_less_since(lesser, greater):
    """The smallest shared x from which on `lesser` is clearly below `greater` at every x: its upper quartile is below
    the other's lower one. None if it is not so at the largest."""
    high, low = ({point.x: point for point in curve.series.points} for curve in (lesser, greater))
    run = list(itertools.takewhile(lambda x: high[x].high < low[x].low, reversed(shared([greater, lesser]))))
    return run[-1] if run else None
