"""The plots of the tests' recording, in words (tests/drawings.py).

What a plot is to show is in test_plots.py. Which line lies over which, how wide it is, and where a word stands is seen by looking.
"""
import functools

from courseware.bandwidth.plots import sweep

import matplotlib.text
import numpy as np
from matplotlib.collections import Collection
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.spines import Spine

from .test_plots import EVERY_PLOT, HERE, drawn

COLOURS = "color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor"
TOLD = ("label", "text", "position", "ha", "va", "fontsize", "rotation", "linewidth", "linestyle", "marker", "markersize", "markeredgewidth",
        "markevery", "hatch", "alpha", "zorder")


def words(value):
    """A value as text, numbers to three digits: more would be another version of matplotlib's."""
    if isinstance(value, (float, int, np.number)):
        return f"{value:.3g}"
    return f"({', '.join(map(words, value))})" if isinstance(value, (tuple, list, np.ndarray)) else repr(value)


def colour(value):
    return " ".join(to_hex(rgba, keep_alpha=True) for rgba in value) if isinstance(value, np.ndarray) and value.ndim == 2 else to_hex(value, keep_alpha=True)


def where(artist):
    """The points of a line; from where to where something filled reaches; what a text is beside."""
    if isinstance(artist, Line2D):
        return words(artist.get_xydata())
    if isinstance(artist, Patch):
        return words(artist.get_path().get_extents(artist.get_patch_transform()).extents)
    return words([path.get_extents().extents for path in artist.get_paths()] if isinstance(artist, Collection) else getattr(artist, "xy", ()))


def line_of(artist):
    """An artist in a line."""
    values = {name: getattr(artist, f"get_{name}")() for name in (*COLOURS, *TOLD) if hasattr(artist, f"get_{name}")}
    return ", ".join(f"{name} {colour(value) if name in COLOURS else words(value)}" for name, value in values.items()
                     if str(value) not in ("None", "") and not str(value).startswith("_"))


def description(figure):
    """What is drawn, in lines."""
    lines = [f"{words(figure.get_size_inches())} inches", *map(line_of, figure.texts)]
    for axes in filter(lambda axes: axes.get_visible(), figure.axes):
        for name, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
            ticks = [(tick, label.get_text()) for tick, label in zip(axis.get_majorticklocs(), axis.get_ticklabels())]
            lines.append(f"{name}: {axis.get_label_text()!r}, {axis.get_scale()}, {words(axis.get_view_interval())}, {words(ticks)}")
        lines += [f"{line_of(artist)}, at {where(artist)}" for artist in axes.get_children()
                  if isinstance(artist, (Line2D, Collection, Patch)) and not isinstance(artist, Spine) and artist is not axes.patch
                  or isinstance(artist, matplotlib.text.Text) and artist.get_text()]
    for legend in figure.legends:
        lines += [f"legend of {legend._ncols} columns", *map(line_of, (*legend.legend_handles, *legend.get_texts()))]
    return "\n".join(lines) + "\n"


def drawings():
    """{name of a file: a function that gives its text}"""
    plots = {plot.__name__: plot for plot in EVERY_PLOT} | {"sweep-here": functools.partial(sweep, here=HERE)}
    return {f"{name}.txt": lambda plot=plot: description(drawn(plot)[0].figure) for name, plot in plots.items()}
