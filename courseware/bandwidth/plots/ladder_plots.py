"""Plots of how far away memory is: the ladder of latencies, bandwidth by working set, and how far translation reaches.

Part of the package plots, which says what all plots share. The steps that a picture names are found in the samples
(bandwidth/steps.py); of several recordings the first one's are named. Not here: how they are written beside it
(rungs.py).
"""
import dataclasses

from matplotlib.ticker import AutoLocator

from ...notebook.palette import LOOKS, OKABE_ITO, Look
from .. import files, steps, wording
from . import curves, rungs
from .managed_plots import ends
from .showing import show

NAMES = {"device": "device memory", "pinned": "host memory", "shared": "shared memory", "constant": "constant memory"}
WAYS = {"read through L1": ", through L1", "read past L1": ", past L1", "read": ""}
# A kind of memory keeps its colour; what is read past L1 has another marker.
PAST_L1 = {"device": "o", "pinned": "D"}
PEER = {"read through L1": Look(OKABE_ITO["reddish purple"], "^", ""),
        "read past L1": Look(OKABE_ITO["reddish purple"], "v", "")}


def ladder(*recordings, here=None, memory=None):
    """How long one read takes that waits for the one before, against the size of what the reads are spread over.

    Its steps are named beside it: caches, device memory, the host's memory, and another device's, where a recording of
    two such devices comes with the course or is given.

    memory: one or several of "device", "pinned", "shared" and "constant"; None for all, and another device's
    """
    sources = curves.sources(recordings, here, "latency ladder")
    if memory is None:
        sources += _peers_of(sources)
    picked = [_labelled(curve) for curve in curves.pick(sources, "latency ladder", memory=memory)]
    if memory is None:
        picked += [dataclasses.replace(curve, label=steps.PEER + WAYS[curve.series.what], look=PEER[curve.series.what])
                   for curve in curves.pick(sources, "peer ladder")]
    return _with_steps("How long one read takes", sources, picked, steps.ladder, _latency, here, memory)


def working_set(*recordings, here=None):
    """Bandwidth of all multiprocessors together, each of which reads all of the same memory again and again, against
    its size."""
    sources = curves.sources(recordings, here, "working set")
    picked = [_labelled(curve) for curve in curves.pick(sources, "working set")]
    return _with_steps("The same memory, read again and again by all multiprocessors", sources, picked,
                       lambda *some: steps.of_levels(some[0], "working set"), _bandwidth, here)


def translation_reach(*recordings, here=None):
    """How long one read takes of lines that are in L2, against how far apart addresses they have.

    The steps of the curve that reaches farthest are written beside it; the table has those of all curves.
    """
    sources = curves.sources(recordings, here, "translation reach")
    picked = curves.pick(sources, "translation reach", told_by=("what", "memory", "by"))
    return _with_steps("How far the translation of addresses reaches", sources, picked, _reaches, _latency, here)


def _from_zero(axes):
    """An even y axis from 0 on: what differs by a few percent looks it."""
    axes.set_yscale("linear")
    axes.yaxis.set_major_locator(AutoLocator())
    axes.set_ylim(0, 1.1 * axes.dataLim.y1)


def _peers_of(sources):
    """The sources of two devices whose kind is among these, from the recordings that come with the course."""
    devices = {source.recording.machine.device for source in sources if not source.here}
    if any(source.recording.find("peer ladder") for source in sources):
        return []
    there_are = [recording for recording in files.peer_recordings()
                 if recording.machine.device in devices and recording.find("peer ladder")]
    return [curves.Source(recording.dated("peer ladder"), False) for recording in there_are[:1]]


def _labelled(curve):
    """The curve with the name of what is read and how, in the colour of its memory."""
    memory, what = curve.series.memory, curve.series.what
    marker = PAST_L1[memory] if what == "read past L1" else LOOKS[memory].marker
    look = dataclasses.replace(LOOKS[memory], marker=marker)
    return dataclasses.replace(curve, label=NAMES[memory] + WAYS[what], look=look)


def _reaches(recording, *others):
    """The steps of each curve of the translation reach, named by what they are steps of."""
    return [steps.LadderStep(f"{series.what}, {series.memory}", _sizes(*step[:2]), series, *step)
            for series in recording.find("translation reach") for step in steps.of_series(series)]


def _latency(recording, step):
    clock = steps.cycles(recording, step)
    return f"{wording.number(step.level)} ns" + (f", {wording.number(clock)} cycles" if clock else "")


def _bandwidth(recording, step):
    return wording.quantity(step.level, "GB/s")


def _with_steps(title, sources, picked, steps_of, value, here, memory=None):
    """The Picture of curves with their steps named, in the sentence, beside the curves, and in a table of their own."""
    def own_steps(source):
        shown = [curve.series for curve in picked if curve.source is source]
        return [step for step in steps_of(source.recording) if any(step.series is series for series in shown)]

    def sentence(own, source):
        sentences = [f"{step.kind}, {_sizes(step.first, step.last)}: {value(source.recording, step)}"
                     for step in own_steps(source)]
        sentences += [f"at {end.name}: {value(source.recording, end)}" for end in _open_ends(own_steps(source))]
        return wording.sentence("; ".join(sentences)) if sentences else ends(own, source)

    def mark(axes):
        reach = picked[0].series.experiment == "translation reach"
        if reach:
            _from_zero(axes)
        named = []
        # Of one device, and of two.
        first = {source.recording.machine.devices: source for source in reversed(sources)}
        for source in first.values():
            own = own_steps(source)
            if reach:
                farthest = max((step.series for step in own), key=lambda series: series.points[-1].x, default=None)
                own = [step for step in own if step.series is farthest]
            named += [(step.level, step.last, f"{step.name}: {value(source.recording, step)}")
                      for step in (*own, *_open_ends(own))]
        rungs.draw(axes, named)
    picture = show(title, sources, tuple(picked), sentence, here=here, memory=memory, mark=mark)
    if picture.figure is None:
        return picture
    tables = [rungs.table(source, own_steps(source), lambda step, source=source: value(source.recording, step))
              for source in sources]
    return dataclasses.replace(picture, tables=(*(table for table in tables if table.rows), *picture.tables))


def _open_ends(own_steps):
    """The last point of each curve that has steps, and after the last of them goes on to something else, as a step by
    itself."""
    for series in {id(step.series): step.series for step in own_steps if step.series.what != steps.THROUGH}.values():
        end = series.points[-1]
        if all(step.last < end.x for step in own_steps if step.series is series):
            yield steps.LadderStep(wording.size(end.x), wording.size(end.x), series, end.x, end.x, end.median)


def _sizes(first, last):
    return f"{wording.size(first)} to {wording.size(last)}"
