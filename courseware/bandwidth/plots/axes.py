"""How curves are drawn: axes with readable ticks, a line with its spread, the link's limit, a legend.

A kind of memory is told by colour and by marker. What was measured here is a solid line; what is recorded beside it is
dashed, thinner and lighter. Not here: which curves (curves.py), and the plots themselves (__init__.py).
"""
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ...notebook.palette import OKABE_ITO
from .. import wording
from .picture import INK

X_OF = {"latency ladder": "memory that the reads are spread over", "growth": "size afterwards"}      # else: size
Y_NAMES = {"GB/s": "GB/s (1e9 bytes a second)", "ms": "time (ms)", "ns": "time of one read (ns)"}
MOST_TICKS = 10
BAND = "middle half of the samples"
CHARACTERS, SIGN = 112, 9       # of a legend's row; what the sign before a label takes of them
# Lines of one source are solid, of the next dashed, dotted, dash-dotted.
DASHES = ("-", (0, (4, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)))


def figure(rows=1, columns=1, height=4.6, **options):
    """A figure of matplotlib and its axes, a row of them or one. It belongs to no window."""
    drawing = Figure(figsize=(8, height))
    return drawing, drawing.subplots(rows, columns, **options)


def logarithmic(axes, curves):
    """Logarithmic axes with ticks that read "64 KiB" and "0.1", for curves that share their units."""
    series = curves[0].series
    xs = [x for curve in curves for x in curve.medians]
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(powers_of_two(min(xs), max(xs), MOST_TICKS)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: wording.size(x)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_yscale("log")
    ys = [value for curve in curves for value in curve.medians.values()]
    axes.yaxis.set_major_locator(FixedLocator(wording.round_numbers(min(ys) / 2, 2 * max(ys))))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: wording.number(value)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.grid(True, which="major")
    axes.set_xlabel(X_OF.get(series.experiment, "size"))
    axes.set_ylabel(Y_NAMES[series.unit])


def powers_of_two(low, high, most):
    """Powers of two from about `low` to about `high`, evenly apart on a logarithmic axis, at most `most` of them."""
    low_power, high_power = int(low).bit_length() - 1, int(high).bit_length() - 1
    step = -(-(high_power - low_power + 1) // most)
    return [2 ** power for power in range(low_power, high_power + 1, step)]


def draw(axes, curve, place, rank, offset, every, larger):
    """Draw a curve: the medians as a line with markers, the quartiles as a band.

    rank:   of its source: 0 for the first, drawn boldest
    offset: which point has the first marker, and `every` how many points further the next, so that the markers of
            curves that lie on each other stay visible
    larger: how much larger the markers are, so that they are seen behind others
    """
    points = curve.series.points
    xs = [point.x for point in points]
    colour = colour_of(curve.look)
    axes.fill_between(xs, [point.low for point in points], [point.high for point in points], color=colour,
                      alpha=0.25 if rank == 0 else 0.12, linewidth=0)
    if every > 1:       # every point that was measured has a dot, where markers take turns
        axes.plot(xs, [point.median for point in points], linestyle="none", marker=".", markersize=5, color=colour,
                  zorder=place)
    with_marker = slice(offset, None, every) if len(xs) > every else 1
    axes.plot(xs, [point.median for point in points], color=colour, linestyle=DASHES[rank % len(DASHES)],
              label=curve.label, zorder=place, markevery=with_marker,
              **_weight(curve.look, rank, larger))


def colour_of(look):
    """The colour of a look's lines; black is that of all text."""
    return INK if look.colour == OKABE_ITO["black"] else look.colour


def _weight(look, rank, larger=0):
    """What makes the first source's lines stand out from the others'."""
    if rank == 0:
        return {"linewidth": 1.8, "marker": look.marker, "markersize": 7 + larger, "markeredgecolor": INK,
                "markeredgewidth": 0.6}
    return {"linewidth": 1.1, "alpha": 0.75, "marker": look.marker, "markersize": 5 + larger,
            "markerfacecolor": "none"}


def legend(drawing, curves, sources):
    """Below the axes what the markers mean, and what the lines mean, where it is to be told."""
    handles = {curve.label: Line2D([], [], color=colour_of(curve.look), label=curve.label, **_weight(curve.look, 0))
               for curve in curves if curve.series.points}
    if any(point.low < point.high for curve in curves for point in curve.series.points):
        handles[BAND] = Patch(facecolor=INK, alpha=0.25, label=BAND)
    for rank, label in enumerate(short_titles(sources) if len(sources) > 1 else []):
        handles[label] = Line2D([], [], color=INK, linestyle=DASHES[rank % len(DASHES)],
                                linewidth=1.8 if rank == 0 else 1.1, label=label)
    if len(handles) > 1:
        across = legend_columns([*handles])
        drawing.legend(handles=[*handles.values()], loc="outside lower center", frameon=False, ncols=across)
        drawing.set_figheight(drawing.get_figheight() + 0.22 * max(-(-len(handles) // across) - 2, 0))


def legend_columns(labels, most=4):
    """How many columns the entries of a legend have room in, below axes of the usual width: up to `most`."""
    for count in range(min(most, len(labels)), 1, -1):
        # As matplotlib has them.
        sizes = [len(labels) // count + (place < len(labels) % count) for place in range(count)]
        remaining = iter(labels)
        widths = [max(len(next(remaining)) for _ in range(size)) for size in sizes]
        if sum(widths) + SIGN * count <= CHARACTERS:
            return count
    return 1


def short_titles(sources):
    """What tells the sources of a plot apart; the plot's title has the whole of it."""
    devices = {source.recording.machine.names for source in sources}
    if len({source.here for source in sources}) == len(sources):
        return ["measured here" if source.here else "recorded" for source in sources]
    return [source.recording.machine.names if len(devices) == len(sources) else source.title for source in sources]


def crossing(axes, x, text):
    """A vertical line with its meaning written beside it, on the side that has more room."""
    axes.axvline(x, color=INK, linewidth=1.5, linestyle=(0, (6, 3)), zorder=1)
    on_left = (axes.transData + axes.transAxes.inverted()).transform((x, axes.get_ylim()[0]))[0] > 0.5
    axes.annotate(text, (x, 0.98), xycoords=("data", "axes fraction"), xytext=(-6 if on_left else 6, 0),
                  textcoords="offset points", va="top", ha="right" if on_left else "left", fontsize=9.5)


def limit(axes, gigabytes, text, side="left"):
    """A horizontal line with its meaning written on it, at the "left" or the "right" end."""
    axes.axhline(gigabytes, color=INK, linewidth=1, linestyle=(0, (8, 3)), zorder=0)
    x = 0.01 if side == "left" else 0.99
    axes.annotate(text, (x, gigabytes), xycoords=("axes fraction", "data"), xytext=(0, 3),
                  textcoords="offset points", va="bottom", ha=side, fontsize=9.5)
    axes.set_ylim(top=max(axes.get_ylim()[1], 2.5 * gigabytes))     # room for the text
