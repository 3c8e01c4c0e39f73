"""Names beside a plot for the levels at which its curves are flat, as the rungs of a ladder. Not here: which levels
(steps.py)."""
import math

from matplotlib.ticker import FixedLocator

from .axes import powers_of_two
from .picture import INK

APART = 0.062       # of the height of the axes, from one name to the next
TICKS = 7           # on the x axis, which the names leave less room


def draw(axes, rungs):
    """Write on the right of axes what each level is, with a line to where it is.

    rungs: of (level, x where the level ends, text), in any order; names that would meet are moved apart
    """
    smallest_x, largest_x = axes.get_xlim()
    axes.xaxis.set_major_locator(FixedLocator(powers_of_two(2 ** math.ceil(math.log2(smallest_x)), largest_x, TICKS)))
    to_fraction = axes.transData + axes.transAxes.inverted()
    levels_at = [to_fraction.transform((largest_x, level))[1] for level, _, _ in sorted(rungs)]
    for (level, end, text), place, written in zip(sorted(rungs), levels_at, _spread(levels_at)):
        axes.plot([end, largest_x], [level, level], color=INK, linewidth=0.8, linestyle=(0, (1, 2)), zorder=0.5,
                  label="_rung")
        line = {"arrowstyle": "-", "color": INK, "linewidth": 0.8, "relpos": (0, 0.5), "shrinkB": 0}
        axes.annotate(text, (1, place), (1.05, written), xycoords="axes fraction", textcoords="axes fraction",
                      va="center", fontsize=9, annotation_clip=False, arrowprops=line)
    axes.set_xlim(smallest_x, largest_x)


def _spread(places):
    """Places in order, moved apart to at least APART and as little as that takes, none below 0 or, if there is room,
    above 1."""
    heights = []
    for place in places:
        heights.append(max(place, heights[-1] + APART if heights else 0))
    limit = max(1, APART * (len(heights) - 1))
    for number in reversed(range(len(heights))):
        heights[number] = min(heights[number], limit)
        limit = heights[number] - APART
    return heights
