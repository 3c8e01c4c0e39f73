"""Plots of recordings, each with a sentence that says what it shows and a table of its numbers.

    from courseware.bandwidth import plots
    plots.sweep(what="host to device")                  # the course's newest recording
    plots.sweep(here=here, what="read, coalesced")      # the same, and over it what was measured here
    plots.latency(mine, other, memory=["pageable", "pinned"])

Every plot takes any number of Recordings (none stands for the newest that comes with the course), and `here`: what was
measured in this process, drawn solid over the recorded; what is false, such as None, where nothing was measured. It
returns a Picture (picture.py). What a plot draws was measured: nothing is modelled, and nothing computed between or
beyond the points. Without a recording there is a sentence instead of a picture.

All raise WrongArgument, with the names that there are, for a kind of memory or a thing measured that is not known.
Not here: the timeline (timeline_plots.py), managed memory (managed_plots.py), two devices (peer_plots.py), how far
away memory is (ladder_plots.py), how a curve is drawn (axes.py), and measuring.
"""
from .. import ranking, wording
from ..recording import PATTERNS
from . import axes, curves, summaries
from .ladder_plots import ladder, translation_reach, working_set
from .managed_plots import managed
from .peer_plots import peers
from .showing import TITLES, link_limit, mark_limits, show
from .timeline_plots import timeline

__all__ = ["growth", "host_memory_cost", "kernel_heap", "ladder", "latency", "managed", "peers",
           "reuse", "sweep", "timeline", "translation_reach", "working_set"]

ORDERS = {"coalesced": "in order", "strided": "with gaps", "random": "in random order"}


def sweep(*recordings, here=None, what="host to device", memory=None, least=0):
    """Bandwidth against size, a curve for each kind of memory, on logarithmic axes, with the limit of the link.

    what:   "host to device", "device to host", "read, coalesced", ...: what is measured in GB/s
    memory: one or several kinds of memory, by their names in palette.LOOKS; None for all
    least:  the smallest size to show, in bytes. (Copies from pageable memory are timed by another clock than the
            others, which matters where copies are small: see `latency`, which has one clock)
    """
    experiment = curves.experiment_of(what)
    sources = curves.sources(recordings, here)
    picked = curves.not_below(curves.pick(sources, experiment, what, memory), least)

    def summarise(own, source):
        return summaries.fastest(own, link_limit(source, own))

    return show(TITLES[what], sources, picked, summarise, here=here, memory=memory, mark=mark_limits(sources, picked))


def latency(*recordings, here=None, what="host to device", memory=None):
    """How long one small copy takes, from the call until the host knows that it is done, against its size. Of two kinds
    of memory, it is marked from where on one of them takes clearly less time."""
    sources = curves.sources(recordings, here)
    picked = curves.pick(sources, "latency", what, memory)
    mark, summarise = _duel(picked, {curve.label: wording.memory(curve.label) for curve in picked})
    return show(f"One small copy, {what}", sources, picked, summarise, here=here, memory=memory, mark=mark)


def host_memory_cost(*recordings, here=None, what=None, memory=None, least=0):
    """How long it takes to allocate, register, unregister and free host memory, against its size: a panel for each.

    what, memory, least: as for `sweep`
    """
    sources = curves.sources(recordings, here)
    picked = curves.not_below(curves.pick(sources, "host memory cost", what, memory, told_by=("memory", "by")), least)
    return show("What host memory costs", sources, picked, lambda own, source: summaries.costs(own), here=here,
                memory=memory, panels=("allocate", "register", "free", "unregister"))


def growth(*recordings, here=None):
    """How long a buffer takes to double, in place or by reallocation and copy, against the size that results."""
    sources = curves.sources(recordings, here)
    picked = curves.pick(sources, "growth", told_by=("what", "memory", "by"))
    mark, summarise = _duel(picked, {"in place": "growing in place", "reallocate and copy": "reallocating and copying"})
    return show("How long a buffer takes to double", sources, picked, summarise, here=here, mark=mark)


def kernel_heap(*recordings, here=None):
    """How many blocks threads of a kernel allocate and free in a second, against how many threads do so at once."""
    sources = curves.sources(recordings, here)
    picked = curves.pick(sources, "kernel heap", told_by=("what", "nbytes", "memory", "by"))

    def summarise(own, source):
        return summaries.alone(own, name=str)
    return show("malloc and free in a kernel", sources, picked, summarise, here=here)


def reuse(*recordings, here=None, pattern="coalesced", nbytes=None):
    """Time against how often a kernel reads the same data: in place in pinned memory, or copied to the device first.

    pattern: "coalesced", "strided" or "random"
    nbytes:  of the data, one of the sizes that were measured; None for the largest
    """
    whats = [f"{way}, {pattern}" for way in ("read in place", "copied first")]
    sources = curves.sources(recordings, here)
    curves.check(pattern, PATTERNS, "a pattern")
    sizes = [curve.series.nbytes for curve in curves.pick(sources, "reuse", whats)]
    if nbytes is not None and sizes:
        curves.check(nbytes, sorted(set(sizes)), "a size of data that was measured, in bytes")
    nbytes = max(sizes, default=None) if nbytes is None else nbytes
    picked = curves.pick(sources, "reuse", whats, nbytes=nbytes, told_by=("what", "memory", "by"))
    picked = curves.in_microseconds(curves.renamed(picked, f", {pattern}"))
    mark, summarise = _duel(picked, {"read in place": "reading in place", "copied first": "copying first"})
    size = f" {wording.size(nbytes)}" if nbytes else ""
    title = f"Read in place or copy first?{size} of pinned memory, read {ORDERS[pattern]}"
    return show(title, sources, picked, summarise, here=here, mark=mark)


def _duel(picked, names):
    """(mark, summarise) of `show` for two curves of each source: both say from where on one of them takes clearly less
    time.

    names: {label: name in a sentence}; where there are not two of them, nothing is marked
    """
    def pair(own):
        by_label = {curve.label: curve for curve in own}
        return [by_label[label] for label in names] if len(names) == 2 and set(names) <= set(by_label) else []

    def mark(made_axes):
        # Lessons ask of what is recorded; what was measured here is marked where it is alone.
        asked = next((curve.source for curve in picked if not curve.source.here), picked[0].source)
        two = pair([curve for curve in picked if curve.source is asked])
        whose = "recorded: " if any(curve.source.here for curve in picked) and not asked.here else ""
        for winner, loser in filter(None, (two, two[::-1])):
            since = ranking.clearly_less_since(winner, loser)
            if since and since > ranking.shared(two)[0]:
                axes.crossing(made_axes, since, f"{whose}from {wording.at(since, winner.series.x_unit)} on\n"
                              f"{names[winner.label]}\ntakes clearly less time")

    def summarise(own, source):
        two = pair(own)
        return summaries.duel(*two, *names.values()) if two else summaries.alone(own, name=str)
    return mark, summarise
