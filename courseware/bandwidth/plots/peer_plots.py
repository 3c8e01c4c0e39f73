"""Plots of what two devices do with each other's memory. Part of the package plots, which says what all plots share.

They show recordings of two devices (bandwidth.peer_recordings) and what was measured of two devices here.
"""
from ..recording import EXPERIMENTS
from . import curves
from .managed_plots import ends
from .showing import mark_limits, show

WAYS = {"0 to 1": "From device 0 to device 1", "1 to 0": "From device 1 to device 0",
        "both ways": "Between two devices, both ways at once, the sum"}
ALL_CALLS = tuple(dict.fromkeys(what.split(", ")[0] for what in EXPERIMENTS["sharing cost"].whats))


def peers(*recordings, here=None, way="0 to 1"):
    """Bandwidth against size between two devices: by the copy engines and by kernels, reading and writing.

    way: "0 to 1", "1 to 0", or "both ways": both at once, the sum
    """
    curves.check(way, WAYS, "a way")
    found = curves.sources(recordings, here, "peer bandwidth")
    whats = [one for one in EXPERIMENTS["peer bandwidth"].whats if one.endswith(f", {way}")]
    picked = curves.pick(found, "peer bandwidth", whats, told_by=("what", "by", "memory"))
    return show(WAYS[way], found, picked, ends, here=here, mark=mark_limits(found, picked))


def peer_latency(*recordings, here=None):
    """How long one read takes that waits for the one before, of a device's own memory and of the other's, against size."""
    found = curves.sources(recordings, here, "peer latency")
    picked = curves.pick(found, "peer latency", told_by=("what", "memory", "by"))
    return show("One read, of own memory and of the other device's", found, picked, ends, here=here)


def sharing_cost(*recordings, here=None, call=None):
    """How long it takes to bring memory into reach, against its size, a curve for each call.

    call: one or several of the calls, "open IPC handle", "map", ...; None for those that give access
    """
    calls = [call] if isinstance(call, str) else list(call or ("open IPC handle", "import descriptor", "set access",
                                                              "enable peer access"))
    for one in calls:
        curves.check(one, ALL_CALLS, "a call")
    found = curves.sources(recordings, here, "sharing cost")
    whats = [one for one in EXPERIMENTS["sharing cost"].whats if one.split(", ")[0] in calls]
    picked = curves.pick(found, "sharing cost", whats, told_by=("what", "memory", "by"))
    return show("What it costs to come into reach of memory", found, picked, ends, here=here)
