"""Plots of what managed memory costs. Part of the package plots, which says what all plots share.

Managed memory was recorded later than the rest: the date in these plots is its own.
"""
from .. import ranking
from ..recording import EXPERIMENTS
from . import curves, summaries
from .showing import mark_limits, show

EXPERIMENT = "managed to device"
# A kernel that finds the data on the device, or a prefetch without the read, is not one of the ways to get them there.
PARTS = ("prefetch", "read after a prefetch")


def managed(*recordings, here=None, what=None):
    """Bandwidth against size of each way to have a kernel read what the host wrote, managed memory's and others.

    what: one or several of the ways, "on demand", "copy and read", ...; None for all of them. There are the parts of
          "prefetch and read" as well: "prefetch" and "read after a prefetch". "on demand" is what recordings call
          "first touch": the pages have memory already, the host's
    """
    sources = curves.sources_of(recordings, here, EXPERIMENT)
    ways = [way for way in EXPERIMENTS[EXPERIMENT].whats if way not in PARTS] if what is None else what
    ways = ["first touch" if way == "on demand" else way for way in ([ways] if isinstance(ways, str) else ways)]
    picked = curves.pick(sources, EXPERIMENT, ways, told_by=("what", "memory", "by"))
    picked = curves.renamed(picked, "first touch", "on demand")
    return show("From the host's write to the kernel's read", sources, picked, ends, here=here,
                mark=mark_limits(sources, picked, "right"))


def ends(shown, source):
    """What each curve has at the smallest and at the largest x of all."""
    shown = [curve for curve in shown if curve.series.points]
    places = ranking.shared(shown)
    if not places:
        return summaries.alone(shown, name=in_a_list)
    return " ".join(summaries.alone(shown, x, in_a_list) for x in dict.fromkeys((places[0], places[-1])))


def in_a_list(label):
    """A label in a list, whose commas are the list's: "kernel, advised" -> "kernel advised"."""
    return label.replace(", ", " ")
