"""What a class got wrong, on one page: exercises, mistakes, predictions. Colours are told apart by lightness too."""
import textwrap
from collections import Counter

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ..exercises.catalogue import EXERCISES

SOLVED, SHOWN, TRIED, OPEN = "#1b7837", "#7fbf7b", "#e08214", "#eeeeee"
MOST = 8        # mistakes and predictions that are listed
PAGE = 8.27, 11.69      # A4, in inches


def shares(learners):
    """{exercise's id: (solved, solved after its solution was shown, tried and not solved, not tried)}, in learners."""
    found = {}
    for name in EXERCISES:
        counts = Counter(_state(learner.exercise(name)) for learner in learners)
        found[name] = tuple(counts[state] for state in ("solved", "shown", "tried", "open"))
    return found


def _state(kept):
    if kept.get("solved"):
        return "shown" if kept.get("solution") else "solved"
    return "tried" if kept.get("tries") else "open"


def mistakes(learners):
    """[((exercise's id, mistake), how many learners met it)], the most frequent first."""
    met = Counter((name, one) for learner in learners for name, kept in learner.record["exercises"].items()
                  for one in set(kept.get("mistakes", ())))
    return met.most_common(MOST)


def predictions(learners):
    """[(prediction's name, (wrong, made))], the one that most got wrong first."""
    wrong, made = Counter(), Counter()
    for learner in learners:
        for name, kept in learner.record["predictions"].items():
            if "right" in kept and not kept.get("after"):
                made[name] += 1
                wrong[name] += not kept["right"]
    ordered = sorted((name for name in made if wrong[name]), key=lambda name: (-wrong[name] / made[name], name))
    return [(name, (wrong[name], made[name])) for name in ordered[:MOST]]


def draw(learners, path):
    """Draw the page into a PNG file."""
    figure = Figure(figsize=PAGE)
    FigureCanvasAgg(figure)
    bars, words = figure.subplots(2, 1, height_ratios=(3, 2))
    figure.suptitle(f"What the class got wrong: {len(learners)} learner{'s' * (len(learners) != 1)}", x=0.03, ha="left")
    _bars(bars, shares(learners), len(learners))
    _words(words, mistakes(learners), predictions(learners))
    figure.subplots_adjust(left=0.22, right=0.97, top=0.92, bottom=0.03, hspace=0.12)
    figure.savefig(path, dpi=150)


def _bars(axes, found, every):
    names = list(found)
    left = [0] * len(names)
    for number, (label, colour) in enumerate((("solved", SOLVED), ("solved after its solution was shown", SHOWN),
                                              ("tried, not solved", TRIED), ("not tried", OPEN))):
        widths = [found[name][number] for name in names]
        axes.barh(names, widths, left=left, color=colour, edgecolor="white", label=label)
        for row, width in enumerate(widths):
            if width and number < 3:
                axes.text(left[row] + width / 2, row, str(width), ha="center", va="center", fontsize=7,
                          color="white" if colour == SOLVED else "black")
        left = [a + b for a, b in zip(left, widths)]
    axes.invert_yaxis()
    axes.set(xlim=(0, every), ylim=(len(names) - 0.5, -0.5))
    axes.tick_params(axis="y", labelsize=7, length=0)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1), ncols=4, fontsize=7, frameon=False)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _words(axes, met, missed):
    axes.axis("off")
    lines = ["Mistakes that were met most", ""]
    for (name, mistake), count in met:
        first, *more = textwrap.wrap(f"{mistake} ({name})", 100)
        lines += [f"{count:3}  {first}", *(f"     {line}" for line in more)]
    lines += ["" if met else "     none", "Predictions that were wrong most", ""]
    lines += [f"{wrong:3}  of {made}: {name}" for name, (wrong, made) in missed] or ["     none"]
    axes.text(-0.2, 1, "\n".join(lines), family="monospace", fontsize=7, va="top", transform=axes.transAxes)
