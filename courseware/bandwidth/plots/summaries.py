"""The sentence beside a plot: what its curves show, computed from the same curves.

Each function takes curves of one source and returns a sentence that is true of their medians, whichever of them wins.
Not here: which curve is ahead of which (ranking.py), and the table (tables.py).
"""
import math

from .. import wording
from ..ranking import clearly_less_since, shared, standing
from .intervals import span, together

NOTHING = "Nothing was measured."


def fastest(curves, limit=None):
    """Who is the fastest, from which size on, and by how much.

    limit: of the link in GB/s, where the data cross it
    """
    curves = [curve for curve in curves if curve.series.points]
    ahead = standing(curves)
    if ahead is None or len(curves) == 1:
        return alone(curves)
    values = [curve.medians[ahead.x] for curve in ahead.leaders]
    reached = _range(values, curves) + _of_limit(max(values), limit)
    if not ahead.others:
        return wording.sentence(f"at {wording.size(ahead.x)} all are within 3 % of each other: {reached}")
    they, are = ("they reach", "are") if len(values) > 1 else ("it reaches", "is")
    who = f"{wording.memories(_labels(ahead.leaders))} {are} {'the fastest' if len(curves) > 2 else 'faster'}"
    if ahead.since == ahead.x:
        lead = f"at {wording.size(ahead.x)} {who}: {they}"
    else:
        lead = f"{_span(ahead.since, ahead.x, ahead.smallest_x)} {who}; at {wording.size(ahead.x)} {they}"
    return wording.sentence(f"{lead} {reached}, {_against_slowest(ahead, values)}{_at_first(curves, ahead)}")


def duel(first, second, first_name, second_name):
    """Which of two curves takes clearly less time at the largest x, and from where on; their names: "copying first"."""
    places = shared([first, second])
    if not places:
        return NOTHING
    ways = (first, first_name), (second, second_name)
    for (winner, name), (loser, losers_name) in (ways, ways[::-1]):
        since = clearly_less_since(winner, loser)
        if since is not None:
            where = _span(since, places[-1], places[0])
            ends = [_against(winner, loser, x) for x in dict.fromkeys((since, places[-1]))]
            return wording.sentence(f"{where}, {name} takes clearly less time than {losers_name} (the quartiles are "
                                    f"apart): {' and '.join(ends)}")
    against = _against(first, second, places[-1])
    return wording.sentence(f"{first_name} and {second_name} are not clearly apart, {against}")


def alone(curves, x=None, name=wording.memory):
    """For curves that are not compared: what each has at x, or at its largest."""
    by_place = {}
    for curve in curves:
        if curve.series.points:
            place = max(curve.medians) if x is None else x
            by_place.setdefault(wording.size(place), []).append(
                f"{name(curve.label)} {wording.quantity(curve.medians[place], curve.series.unit)}")
    clauses = [f"at {place}: {', '.join(values)}" for place, values in by_place.items()]
    return wording.sentence("; ".join(clauses)) if clauses else NOTHING


def overlap(timelines):
    """For how long a kernel and a copy ran at the same time, for each kind of memory."""
    clauses = [f"{wording.memory(timeline.memory)}: {at_once(timeline)}" for timeline in timelines]
    return wording.sentence("; ".join(clauses))


def at_once(timeline):
    """For how long one timeline has a kernel and a copy at the same time."""
    whole = span(timeline.intervals)
    return (f"{wording.quantity(whole, 'ms')} in all, a kernel and a copy at the same time in "
            f"{100 * together(timeline.intervals) / whole:.0f} % of it")


def _labels(curves):
    return [curve.label for curve in curves]


def _span(since, x, smallest_x):
    """From where to where something holds that holds at x; `smallest_x` is the smallest there is."""
    if since == x:
        return f"at {wording.size(x)}"
    return f"from {wording.size(since)} " + (f"to {wording.size(x)}" if since == smallest_x else "on")


def _against(winner, loser, x):
    """Two times at one x: "60 ms against 256 ms at 16 MiB"."""
    winners_time, losers_time = (wording.quantity(curve.medians[x], curve.series.unit) for curve in (winner, loser))
    return f"{winners_time} against {losers_time} at {wording.size(x)}"


def _against_slowest(ahead, values):
    """How much more the leaders, which reach `values`, have than the slowest of all."""
    slowest = ahead.others[-1]
    slowest_median = slowest.medians[ahead.x]
    called = f"{wording.memory(slowest.label)} ({wording.quantity(slowest_median, slowest.series.unit)})"
    most, least = (_more(value / slowest_median) for value in (max(values), min(values)))
    bound = "at least" if most == least else "up to"
    slowest_of_several = "the slowest, " if len(ahead.others) > 1 else ""
    return f"{bound} {most} {slowest_of_several}{called}"


def _more(ratio):
    return f"{_floor(ratio)} times the speed of" if ratio >= 2 else f"{math.floor((ratio - 1) * 100)} % more than"


def _at_first(curves, ahead):
    """Who leads at the smallest size, if others do there."""
    early = standing(curves, x=ahead.smallest_x)
    if ahead.since == ahead.smallest_x or set(_labels(early.leaders)) == set(_labels(ahead.leaders)):
        return ""
    if not early.others:
        return f"; at {wording.size(ahead.smallest_x)} all are within 3 % of each other"
    return (f"; at {wording.size(ahead.smallest_x)} the fastest {'are' if len(early.leaders) > 1 else 'is'} "
            f"{wording.memories(_labels(early.leaders))}")


def _floor(ratio):
    """Rounded down: what is said to be "6.1 times" another is not less."""
    return wording.number(math.floor(ratio * 10) / 10 if ratio < 10 else math.floor(ratio))


def _range(values, curves):
    return wording.between(min(values), max(values), curves[0].series.unit)


def _of_limit(value, limit):
    if not limit or value > limit:
        return ""
    return f" ({100 * value / limit:.0f} % of the link's {wording.number(limit)} GB/s)"
