"""The timeline of what ran when. Part of the package plots, which says what all plots share."""
import matplotlib.style
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch

from ...notebook.palette import LOOKS, OKABE_ITO, Look
from . import axes, curves, summaries, tables
from .intervals import lanes
from .picture import STYLE, Picture
from .showing import about, heading, nothing

ACTIONS = {"host to device": Look(OKABE_ITO["blue"], "", "//"), "kernel": Look(OKABE_ITO["orange"], "", ""),
           "device to host": Look(OKABE_ITO["bluish green"], "", "\\\\")}


def tint(colour):
    """A colour mixed with white, so that a black hatching shows on it."""
    return tuple(0.6 * component + 0.4 for component in to_rgb(colour))


def timeline(*recordings):
    """What ran when: copies and kernels on several streams, from pageable and from pinned memory.

    Shows the first recording: two runs of two machines have no common clock.
    """
    sources = curves.sources_of(recordings)[:1]
    title = "Copies and kernels on several streams"
    timelines = [timeline for source in sources for timeline in source.recording.timelines if timeline.intervals]
    timelines.sort(key=lambda timeline: list(LOOKS).index(timeline.memory))
    if not timelines:
        return Picture(title, nothing(sources))
    with matplotlib.style.context(STYLE):
        figure = _timeline(title, sources, timelines)
    return Picture(title, summaries.overlap(timelines), tables.of_intervals(timelines), (),
                   tuple(about(sources, "overlap")), figure)


def _timeline(title, sources, timelines):
    ends = [max(interval.end_ms for interval in timeline.intervals) for timeline in timelines]
    parts = [(timeline, f"{timeline.memory} host memory: {summaries.at_once(timeline)}", max(ends))
             for timeline in timelines]
    # Where a timeline takes little of the common width, nobody sees what overlaps in it.
    parts += [(timeline, f"{timeline.memory} host memory, enlarged", end)
              for timeline, end in zip(timelines, ends) if 4 * end < max(ends)]
    rows = [lanes(timeline.intervals) for timeline, _, _ in parts]
    height = 1.5 + sum(0.6 + 0.36 * len(row) for row in rows)
    figure, all_axes = axes.figure(len(parts), 1, height=height, squeeze=False,
                                   height_ratios=[len(row) + 1 for row in rows])
    for row_axes, (_, heading_of_part, end), streams in zip(all_axes[:, 0], parts, rows):
        for place, (_, intervals) in enumerate(streams):
            for interval in intervals:
                look = ACTIONS[interval.what]
                row_axes.broken_barh([(interval.start_ms, interval.end_ms - interval.start_ms)], (place - 0.38, 0.76),
                                     facecolor=tint(look.colour), edgecolor="black", hatch=2 * look.hatch,
                                     linewidth=0.6)
        row_axes.set_yticks(range(len(streams)), [name for name, _ in streams])
        row_axes.set_ylim(len(streams) - 0.4, -0.6)
        row_axes.set_xlim(0, 1.02 * end)
        row_axes.set_title(heading_of_part, fontsize=10)
        row_axes.grid(True, axis="x")
        row_axes.tick_params(axis="y", length=0)
    all_axes[-1, 0].set_xlabel("ms")
    figure.suptitle(heading(title, sources), x=0.01, ha="left", fontsize=11)
    used = {interval.what for timeline in timelines for interval in timeline.intervals}
    figure.legend(handles=[Patch(facecolor=tint(look.colour), edgecolor="black", hatch=2 * look.hatch, label=action)
                           for action, look in ACTIONS.items() if action in used], loc="outside lower center", ncols=3,
                  frameon=False)
    return figure
