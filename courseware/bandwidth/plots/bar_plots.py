"""Bars by kind of memory, and the timeline of what ran when. Part of the package plots, which says what all plots share.

A kind of memory has its name at its bar and a hatching, besides its colour. What was measured here is a filled bar;
what is recorded beside it is an empty one.
"""
from course_lib.core.errors import WrongArgument

import matplotlib.style
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch

from ...notebook.palette import LOOKS, OKABE_ITO, Look
from .. import wording
from . import axes, curves, summaries, tables
from .intervals import lanes
from .picture import INK, STYLE, Picture
from .showing import TITLES, about, heading, link_limit, missing, nothing, refusal, summary, with_curves

ACTIONS = {"host to device": Look(OKABE_ITO["blue"], "", "//"), "kernel": Look(OKABE_ITO["orange"], "", ""),
           "device to host": Look(OKABE_ITO["bluish green"], "", "\\\\")}


def bars(*recordings, here=None, what=("host to device", "device to host"), memory=None, nbytes=None):
    """Bandwidth at one size, a bar for each kind of memory, a panel for each thing measured.

    what:   one or several of what is measured in GB/s, as for `sweep`
    memory: one or several kinds of memory; None for all
    nbytes: the size; None for the largest that most kinds have
    """
    whats = [what] if isinstance(what, str) else list(what)
    if not whats:
        raise WrongArgument("bars need something to show: what='host to device', for example")
    found = curves.sources(recordings, here)
    panels = {one: curves.pick(found, curves.experiment_of(one), one, memory) for one in whats}
    picked = [curve for own in panels.values() for curve in own]
    size = _size(picked, nbytes)
    shown = {one: [curve for curve in own if size in curve.medians] for one, own in panels.items()}
    title = f"Bandwidth by kind of memory, {wording.size(size)}" if size else "Bandwidth by kind of memory"
    notes = (*refusal(here), *missing(picked, memory), *curves.left_out(picked))
    if not any(shown.values()):
        return Picture(title, nothing(found), notes=notes)
    found = with_curves(found, picked)
    sentences = []
    for source in found:
        parts = [(one, [curve for curve in own if curve.source is source]) for one, own in shown.items()]
        sentences.append((source, " ".join(f"{TITLES[one]}: {summaries.fastest(own, link_limit(source, own), size)}"
                                           for one, own in parts if own) or summaries.NOTHING))
    method = tuple(about(found, *dict.fromkeys(curves.experiment_of(one) for one in whats)))
    with matplotlib.style.context(STYLE):
        figure = _bars(title, found, shown, size)
    return Picture(title, summary(sentences), tables.of_kinds(shown, size), notes, method, figure)


def _size(picked, asked):
    """The size to show: as asked, or the largest of those that most curves have. None where there is none."""
    sizes = [x for curve in picked for x in curve.medians]
    if asked is not None and sizes:
        curves.check(asked, sorted(set(sizes)), "a size that was measured, in bytes")
    return asked or max(sizes, key=lambda x: (sizes.count(x), x), default=None)


def _bars(title, found, shown, size):
    labels = list(dict.fromkeys(curve.label for own in shown.values() for curve in own))
    height = 1.6 + 0.34 * len(labels) * len(found) + (0.3 if len(found) > 1 else 0)
    made, row = axes.figure(1, len(shown), height=max(height, 2.6), squeeze=False, sharey=True)
    for part, (what, own) in zip(row[0], shown.items()):
        part.set_title(TITLES[what], fontsize=10)
        part.set_xlabel("GB/s")
        part.grid(True, axis="x")
        part.set_yticks(range(len(labels)), [label.replace(", ", ",\n") for label in labels])
        part.set_ylim(len(labels) - 0.4, -0.6)
        part.tick_params(axis="y", length=0)
        for curve in own:
            _bar(part, curve, size, labels.index(curve.label), found.index(curve.source), len(found))
        part.set_xlim(0, 1.25 * max([part.dataLim.x1, *(curve.medians[size] for curve in own)]))
    made.suptitle(heading(title, found), x=0.01, ha="left", fontsize=11)
    if len(found) > 1:
        made.legend(handles=[Patch(facecolor=INK if rank == 0 else "none", edgecolor=INK, label=label)
                             for rank, label in enumerate(axes.short_titles(found))], loc="outside lower center",
                    frameon=False, ncols=len(found))
    return made


def _bar(part, curve, size, place, rank, count):
    """One bar, with its quartiles as a line and its median as a number."""
    point = next(point for point in curve.series.points if point.x == size)
    thickness = 0.8 / count
    y = place - 0.4 + thickness * (rank + 0.5)
    part.barh(y, point.median, height=0.85 * thickness, facecolor=tint(curve.look.colour) if rank == 0 else "none",
              edgecolor="black" if rank == 0 else INK, hatch=2 * curve.look.hatch if rank == 0 else "", linewidth=0.8)
    part.plot([point.low, point.high], [y, y], color="black" if rank == 0 else INK, linewidth=3, solid_capstyle="butt")
    part.annotate(wording.number(point.median), (max(point.high, point.median), y), xytext=(4, 0),
                  textcoords="offset points", va="center", fontsize=9.5)


def tint(colour):
    """A colour mixed with white, so that a black hatching shows on it."""
    return tuple(0.6 * part + 0.4 for part in to_rgb(colour))


def timeline(*recordings, here=None):
    """What ran when: copies and kernels on several streams, from pageable and from pinned memory.

    Shows what was measured here, or else the first recording: two runs of two machines have no common clock.
    """
    found = curves.sources(recordings, here)[:1]
    title = "Copies and kernels on several streams"
    timelines = sorted((one for source in found for one in source.recording.timelines if one.intervals),
                       key=lambda one: list(LOOKS).index(one.memory))
    if not timelines:
        return Picture(title, nothing(found), notes=refusal(here))
    with matplotlib.style.context(STYLE):
        figure = _timeline(title, found, timelines)
    return Picture(title, summaries.overlap(timelines), tables.of_intervals(timelines), refusal(here),
                   tuple(about(found, "overlap")), figure)


def _timeline(title, found, timelines):
    rows = [lanes(one.intervals) for one in timelines]
    made, parts = axes.figure(len(timelines), 1, height=1.7 + sum(0.3 + 0.36 * len(row) for row in rows), squeeze=False,
                              sharex=True, height_ratios=[len(row) + 1 for row in rows])
    for part, one, streams in zip(parts[:, 0], timelines, rows):
        for place, (_, intervals) in enumerate(streams):
            for interval in intervals:
                look = ACTIONS[interval.what]
                part.broken_barh([(interval.start_ms, interval.end_ms - interval.start_ms)], (place - 0.38, 0.76),
                                 facecolor=tint(look.colour), edgecolor="black", hatch=2 * look.hatch, linewidth=0.6)
        part.set_yticks(range(len(streams)), [name for name, _ in streams])
        part.set_ylim(len(streams) - 0.4, -0.6)
        part.set_title(f"{one.memory} host memory: {summaries.at_once(one)}", fontsize=10)
        part.grid(True, axis="x")
        part.tick_params(axis="y", length=0)
    parts[-1, 0].set_xlabel("ms")
    parts[-1, 0].set_xlim(left=0)
    made.suptitle(heading(title, found), x=0.01, ha="left", fontsize=11)
    used = {interval.what for one in timelines for interval in one.intervals}
    made.legend(handles=[Patch(facecolor=tint(look.colour), edgecolor="black", hatch=2 * look.hatch, label=what)
                         for what, look in ACTIONS.items() if what in used], loc="outside lower center", ncols=3,
                frameon=False)
    return made
