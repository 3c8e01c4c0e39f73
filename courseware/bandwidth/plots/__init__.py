"""Plots of recordings, each with a sentence that says what it shows and a table of its numbers.

    from courseware.bandwidth import plots
    plots.sweep(what="host to device")                  # the course's newest recording
    plots.sweep(here=here, what="read, coalesced")      # the same, and over it what was measured here
    plots.growth(mine, other)

Every plot takes any number of Recordings (none stands for the newest that comes with the course), and `sweep` and
`managed` take `here`: what was measured in this process, drawn solid over the recorded; what is false, such as None,
where nothing was measured. It returns a Picture (picture.py). What a plot draws was measured: nothing is modelled, and
nothing computed between or beyond the points. Without a recording there is a sentence instead of a picture.

All raise WrongArgument, with the names that there are, for a kind of memory or a thing measured that is not known.
Not here: the timeline (timeline_plots.py), managed memory (managed_plots.py), two devices (peer_plots.py), how far
away memory is (ladder_plots.py), how a curve is drawn (axes.py), and measuring.
"""
from .. import ranking, wording
from . import axes, curves, summaries
from .ladder_plots import ladder
from .managed_plots import managed
from .peer_plots import peers
from .showing import TITLES, link_limit, mark_limits, show
from .timeline_plots import timeline

__all__ = ["growth", "ladder", "managed", "peers", "sweep", "timeline"]

WAYS_TO_GROW = {"in place": "growing in place", "reallocate and copy": "reallocating and copying"}


def sweep(*recordings, here=None, what="host to device", memory=None, least=0):
    """Bandwidth against size, a curve for each kind of memory, on logarithmic axes, with the limit of the link.

    what:   "host to device", "device to host", "read, coalesced", ...: what is measured in GB/s
    memory: one or several kinds of memory, by their names in palette.LOOKS; None for all
    least:  the smallest size to show, in bytes. (Copies from pageable memory are timed by another clock than the
            others, which matters where copies are small)
    """
    experiment = curves.experiment_of(what)
    sources = curves.sources_of(recordings, here)
    picked = curves.not_below(curves.pick(sources, experiment, what, memory), least)

    def summarise(shown, source):
        return summaries.fastest(shown, link_limit(source, shown))

    return show(TITLES[what], sources, picked, summarise, here=here, memory=memory, mark=mark_limits(sources, picked))


def growth(*recordings):
    """How long a buffer takes to double, in place or by reallocation and copy, against the size that results. It is
    marked from where on one of the two takes clearly less time."""
    sources = curves.sources_of(recordings)
    picked = curves.pick(sources, "growth", told_by=("what", "memory", "by"))

    def pair(shown):
        by_label = {curve.label: curve for curve in shown}
        return [by_label[label] for label in WAYS_TO_GROW] if set(WAYS_TO_GROW) <= set(by_label) else []

    def mark(made_axes):
        two = pair([curve for curve in picked if curve.source is picked[0].source])
        for winner, loser in filter(None, (two, two[::-1])):
            since = ranking.clearly_less_since(winner, loser)
            if since and since > ranking.shared(two)[0]:
                axes.crossing(made_axes, since, f"from {wording.size(since)} on\n"
                              f"{WAYS_TO_GROW[winner.label]}\ntakes clearly less time")

    def summarise(shown, source):
        two = pair(shown)
        return summaries.duel(*two, *WAYS_TO_GROW.values()) if two else summaries.alone(shown, name=str)
    return show("How long a buffer takes to double", sources, picked, summarise, mark=mark)
