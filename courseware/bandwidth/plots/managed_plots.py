"""Plots of what managed memory costs. Part of the package plots, which says what all plots share.

Managed memory was recorded later than the rest: the date in these plots is its own.
"""
from .. import ranking
from ..recording import EXPERIMENTS
from . import curves, summaries
from .showing import mark_limits, show

WAYS = {"device": "managed to device", "host": "managed to host"}
TITLES = {"device": "From the host's write to the kernel's read", "host": "From the kernel's write to the host's read"}
# A kernel that finds the data on the device, or a prefetch without the read, is not one of the ways to get them there.
PARTS = ("prefetch", "read after a prefetch")


def managed(*recordings, here=None, to="device", what=None):
    """Bandwidth against size of each way to have what one side wrote read by the other, managed memory's and others.

    to:   "device": a kernel reads what the host wrote; "host": one thread of the CPU reads what a kernel wrote
    what: one or several of the ways, "on demand", "copy and read", ...; None for all of them. The device also has the
          parts of "prefetch and read": "prefetch" and "read after a prefetch". "on demand" is what recordings call
          "first touch": the pages have memory already, on the other side
    """
    curves.check(to, WAYS, "a side")
    experiment = WAYS[to]
    sources = curves.sources(recordings, here, experiment)
    ways = [way for way in EXPERIMENTS[experiment].whats if way not in PARTS] if what is None else what
    ways = ["first touch" if way == "on demand" else way for way in ([ways] if isinstance(ways, str) else ways)]
    picked = curves.pick(sources, experiment, ways, told_by=("what", "memory", "by"))
    picked = curves.renamed(picked, "first touch", "on demand")
    mark = mark_limits(sources, picked, "right") if to == "device" else None
    return show(TITLES[to], sources, picked, ends, here=here, mark=mark)


def ends(own, source):
    """What each curve has at the smallest and at the largest x of all."""
    own = [curve for curve in own if curve.series.points]
    places = ranking.shared(own)
    if not places:
        return summaries.alone(own, name=_name)
    return " ".join(summaries.alone(own, x, _name) for x in dict.fromkeys((places[0], places[-1])))


def _name(label):
    """A label in a list, whose commas are the list's: "kernel, advised" -> "kernel advised"."""
    return label.replace(", ", " ")
