"""The plot of what two devices do with each other's memory. Part of the package plots, which says what all plots share.

It shows recordings of two devices (bandwidth.peer_recordings).
"""
from ..recording import EXPERIMENTS
from . import curves, summaries
from .managed_plots import in_a_list
from .showing import mark_limits, show

WAY = ", 0 to 1"


def peers(*recordings, by=None):
    """Bandwidth against size from device 0 to device 1: by the copy engines and by kernels, reading and writing.

    by: "copy engine" or "kernel"; None for both
    """
    sources = curves.sources_of(recordings, experiment="peer bandwidth")
    whats = [what for what in EXPERIMENTS["peer bandwidth"].whats if what.endswith(WAY)]
    picked = curves.pick(sources, "peer bandwidth", whats, told_by=("what", "by", "memory"))
    picked = tuple(curve for curve in picked if by in (None, curve.series.by))
    picked = curves.renamed(curves.renamed(picked, WAY), "without access", "without peer access")
    title = "From device 0 to device 1"
    if by:      # of all curves, so the title says it once
        title, picked = f"{title}, by {by}", curves.renamed(picked, f", by {by}")
    return show(title, sources, picked, _at_the_largest, mark=mark_limits(sources, picked))


def _at_the_largest(shown, source):
    """Small sizes are not compared in words: copies without access were timed by another clock."""
    return summaries.alone(shown, name=in_a_list)
