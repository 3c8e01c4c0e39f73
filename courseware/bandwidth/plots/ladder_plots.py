"""The plot of how far away memory is: the ladder of latencies.

Part of the package plots, which says what all plots share. The steps that the picture names are found in the samples
(bandwidth/steps.py); of several recordings the first one's are named. Not here: how they are written beside it
(rungs.py).
"""
import dataclasses

from ...notebook.palette import LOOKS
from .. import steps, wording
from . import curves, rungs
from .managed_plots import ends
from .showing import machines, show

NAMES = {"device": "device memory", "pinned": "host memory", "shared": "shared memory", "constant": "constant memory"}
WAYS = {"read through L1": ", through L1", "read past L1": ", past L1", "read": ""}
# A kind of memory keeps its colour; what is read past L1 has another marker.
PAST_L1 = {"device": "o", "pinned": "D"}
# The method in short. A recording has all of it, under "latency ladder".
IN_SHORT = ("One thread follows a chain that has been read beforehand and has one address in each line of the cache, "
            "in random order. The time of the walk is divided by the number of its steps, and the address where the "
            "walk ends is compared with the right one.")


def ladder(*recordings, memory=None, sizes=None, about=True):
    """How long one read takes that waits for the one before, against the size of what the reads are spread over.

    Its steps are named beside it and in its sentence: caches, device memory, and the host's.

    memory: one or several of "device", "pinned", "shared" and "constant"; None for all
    sizes:  the rows of the table, such as ("1 KiB", "1 GiB"); None for some that are evenly spread
    about:  False leaves out how it was measured, for a page that has said so
    """
    sources = curves.sources_of(recordings, experiment="latency ladder")
    picked = tuple(_labelled(curve) for curve in curves.pick(sources, "latency ladder", memory=memory))
    measured = dict.fromkeys(wording.size(x) for curve in picked for x in curve.medians)
    for size in sizes or ():
        curves.check(size, measured, "a size that was measured")

    def own_steps(source):
        shown = [curve.series for curve in picked if curve.source is source]
        return [step for step in steps.ladder(source.recording) if any(step.series is series for series in shown)]

    def summarise(shown, source):
        sentences = [f"{step.kind}, {wording.size(step.smallest)} to {wording.size(step.largest)}: "
                     f"{_level(source.recording, step)}" for step in own_steps(source)]
        sentences += [f"at {end.name}: {_level(source.recording, end)}" for end in _open_ends(own_steps(source))]
        return wording.sentence("; ".join(sentences)) if sentences else ends(shown, source)

    def mark(axes):
        recording, shown = sources[0].recording, own_steps(sources[0])
        rungs.draw(axes, [(step.level, step.largest, f"{step.name}: {_level(recording, step)}")
                          for step in (*shown, *_open_ends(shown))])

    def told(shown):
        return (*machines(shown), IN_SHORT) if about else ()
    return show("How long one read takes", sources, picked, summarise, memory=memory, mark=mark, sizes=sizes, told=told)


def _labelled(curve):
    """The curve with the name of what is read and how, in the colour of its memory."""
    memory, path = curve.series.memory, curve.series.what
    marker = PAST_L1[memory] if path == "read past L1" else LOOKS[memory].marker
    look = dataclasses.replace(LOOKS[memory], marker=marker)
    return dataclasses.replace(curve, label=NAMES[memory] + WAYS[path], look=look)


def _level(recording, step):
    clock = steps.cycles(recording, step)
    return f"{wording.number(step.level)} ns" + (f", {wording.number(clock)} cycles" if clock else "")


def _open_ends(own_steps):
    """The last point of each curve that has steps, and after the last of them goes on to something else, as a step by
    itself."""
    for series in {id(step.series): step.series for step in own_steps if step.series.what != steps.THROUGH}.values():
        end = series.points[-1]
        if all(step.largest < end.x for step in own_steps if step.series is series):
            yield steps.LadderStep(wording.size(end.x), wording.size(end.x), series, end.x, end.x, end.median)
