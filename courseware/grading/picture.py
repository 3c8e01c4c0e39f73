"""A class on slides of 16:9: by lesson, by learner, and what it got wrong. What a colour says, a mark or its lightness says too."""
import textwrap
from collections import Counter
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from .class_records import ASKED, OF_LESSON, begun

SLIDE = 12.8, 7.2       # inches
DOTS = 150              # an inch: 1920 x 1080
LEARNERS = 30           # on a slide
LINES = 22              # of words in a column
# state -> its colour, the colour of what is written on it, and its words
STATES = {"solved": ("#1b7837", "white", "solved; predicted right"), "shown": ("#7fbf7b", "black", "solved after the solution"),
          "tried": ("#e08214", "black", "tried, not solved; predicted wrong"), "open": ("#eeeeee", "#767676", "not yet")}


def shares(learners, topic):
    """{exercise's id: (solved, solved after its solution was shown, tried and not solved, not tried)}, in learners."""
    counts = {one.id: Counter(learner.state(one.id) for learner in learners) for one in OF_LESSON[topic]}
    return {name: tuple(count[state] for state in STATES) for name, count in counts.items()}


def mistakes(learners):
    """[(how many learners met it, mistake, exercise's id)], the most frequent first."""
    met = Counter((one, name) for learner in learners for name, kept in learner.record["exercises"].items()
                  for one in set(kept.get("mistakes", ())))
    return [(count, *what) for what, count in met.most_common()]


def predictions(learners):
    """[(wrong, made, prediction's name, question)], the one that most got wrong first."""
    found = []
    for topic, asked in ASKED.items():
        answers = [learner.predicted(topic) for learner in learners]
        for name, told in asked.items():
            right = [one[name] for one in answers if name in one]
            if not all(right):
                found.append((right.count(False), len(right), name, told["question"]))
    return sorted(found, key=lambda one: (-one[0], one[1]))


def draw(learners, path):
    """Draw the slides into PNG files: for class.png class-lessons.png, class-learners.png (and -2 ...) and class-mistakes.png.

    Returns their paths.
    """
    path, lessons, made = Path(path), begun(learners), []
    # Pages of the same length, to the one.
    pages = -(-len(learners) // LEARNERS)
    length = -(-len(learners) // pages)
    slides = [("lessons", lambda figure: _by_lesson(figure, lessons, learners))]
    for page in range(pages):
        some = learners[page * length:][:length]
        slides.append((f"learners{f'-{page + 1}' if page else ''}", lambda figure, some=some: _by_learner(figure, lessons, some)))
    slides.append(("mistakes", lambda figure: _wrong(figure, mistakes(learners), predictions(learners))))
    for name, drawn in slides:
        figure = Figure(figsize=SLIDE)
        FigureCanvasAgg(figure)
        drawn(figure)
        made.append(path.with_name(f"{path.stem}-{name}{path.suffix or '.png'}"))
        figure.savefig(made[-1], dpi=DOTS)
    return made


def _head(figure, title, keys=True):
    figure.text(0.02, 0.965, title, fontsize=16, fontweight="bold", va="center")
    if keys:
        figure.legend([Patch(color=colour) for colour, _, _ in STATES.values()], [words for _, _, words in STATES.values()],
                      loc="center right", bbox_to_anchor=(0.99, 0.965), ncols=4, fontsize=9, frameon=False)


def _count(number, word):
    return f"{number} {word}{'s' * (number != 1)}"


def _by_lesson(figure, lessons, learners):
    """A block for each lesson, in up to three columns: its title, a bar for each exercise, and one for its predictions."""
    _head(figure, f"By lesson: {_count(len(learners), 'learner')}")
    blocks = []
    for one in lessons:
        bars = list(shares(learners, one.topic).items())
        answers = [right for learner in learners for right in learner.predicted(one.topic).values()]
        if asked := len(ASKED[one.topic]):
            right, wrong = answers.count(True) / asked, answers.count(False) / asked
            bars.append((f"predictions: {answers.count(True)} of {len(answers)}", (right, 0, wrong, len(learners) - right - wrong)))
        blocks.append((one.heading, bars))
    if not blocks:
        figure.text(0.5, 0.5, "Nobody has begun a lesson yet.", fontsize=16, ha="center")
        return
    rows = sum(len(bars) + 2 for _, bars in blocks)
    columns = 1 if rows <= 14 else 2 if rows <= 40 else 3
    placed = [[] for _ in range(columns)]
    before = 0
    for heading, bars in blocks:
        placed[min(before * columns // rows, columns - 1)].append((heading, bars))
        before += len(bars) + 2
    longest = max(14, *(sum(len(bars) + 2 for _, bars in column) for column in placed), 0)
    size = min(14, 330 / longest)
    for axes, column in zip(figure.subplots(1, columns, squeeze=False)[0], placed):
        _blocks(axes, column, size, len(learners))
        axes.set_ylim(longest - 0.5, -0.5)
    figure.text(0.5, 0.012, "predictions: which part of a lesson's questions; behind the bar, how many of those made were right",
                fontsize=9, ha="center")
    figure.subplots_adjust(left=0.19 if columns == 1 else 0.14, right=0.93, top=0.92, bottom=0.09, wspace=0.8)


def _blocks(axes, column, size, every):
    row, ticks = 0, {}
    for heading, bars in column:
        axes.text(0, row + 0.1, heading, fontsize=size, fontweight="bold", va="center", ha="left")
        row += 1
        for name, widths in bars:
            left, ticks[row] = 0, name.partition(":")[0]
            for width, (colour, ink, _) in zip(widths, STATES.values()):
                axes.barh(row, width, left=left, height=0.8, color=colour)
                if width and width == int(width) and colour != STATES["open"][0] and ":" not in name:
                    axes.text(left + width / 2, row, str(width), ha="center", va="center", fontsize=size * 0.85, color=ink)
                left += width
            if ":" in name:
                axes.text(every * 1.02, row, name.partition(": ")[2], va="center", fontsize=size * 0.85)
            row += 1
        row += 1
    axes.set_yticks(list(ticks), ticks.values(), fontsize=size)
    axes.set_xlim(0, every)
    axes.set_xlabel("learners", fontsize=10)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _by_learner(figure, lessons, learners):
    """A row for each learner, a column for each exercise, grouped by lesson; the tries where it is not solved."""
    _head(figure, "By learner: who is where")
    columns, edges, place = [], [], 0
    for one in (one for one in lessons if OF_LESSON[one.topic]):
        columns += [(place + number, exercise) for number, exercise in enumerate(OF_LESSON[one.topic])]
        edges.append((place, one.number or "side\ntrip"))
        place += max(len(OF_LESSON[one.topic]), 1 if one.number else 1.3) + 0.4
    place = max(place, 8)
    axes = figure.add_axes((0.16, 0.06, 0.68, 0.60))
    rows = max(len(learners), 6)
    size = min(13, 330 / rows * 0.75, 760 / place * 0.7)
    for row, learner in enumerate(learners):
        for at, exercise in columns:
            state = learner.state(exercise.id)
            colour, ink, _ = STATES[state]
            axes.add_patch(Rectangle((at, row - 0.45), 0.94, 0.9, color=colour))
            mark = {"solved": "✓", "shown": "s", "open": ""}.get(state, str(min(learner.exercise(exercise.id).get("tries", 0), 99)))
            axes.text(at + 0.47, row, mark, ha="center", va="center", fontsize=size * (0.75 if len(mark) > 1 else 1), color=ink)
        made = [right for one in lessons for right in learner.predicted(one.topic).values()]
        solved = sum(learner.state(exercise.id) in ("solved", "shown") for _, exercise in columns)
        for x, told in ((0.88, f"{solved} of {len(columns)}"), (0.955, f"{sum(made)} of {len(made)}")):
            figure.text(x, 0.66 - 0.60 * (row + 0.5) / rows, told, ha="center", va="center", fontsize=min(13, 330 / rows * 0.75))
    for x, told in ((0.88, "exercises\nsolved"), (0.955, "predicted\nright")):
        figure.text(x, 0.675, told, ha="center", va="bottom", fontsize=9)
    for left, label in edges:
        axes.text(left, -0.5 - rows * 0.38, label, fontsize=min(13, max(size, 8)) * (0.8 if "\n" in label else 1),
                  fontweight="bold", va="center")
    axes.set_xlim(-0.2, place)
    axes.set_ylim(rows - 0.5, -0.5)
    axes.xaxis.tick_top()
    axes.set_xticks([at + 0.47 for at, _ in columns], [exercise.id for _, exercise in columns], rotation=90,
                    fontsize=min(12, max(size, 7)))
    axes.set_yticks(range(len(learners)), [textwrap.shorten(one.name, 22, placeholder="...") for one in learners],
                    fontsize=min(13, 330 / rows * 0.75))
    axes.tick_params(length=0)
    axes.set_xlabel("exercises by lesson; ✓ solved, s solved after the solution, a number: so many tries, not solved", fontsize=9)
    axes.xaxis.set_label_position("bottom")
    for side in axes.spines.values():
        side.set_visible(False)


def _wrong(figure, met, missed):
    """The mistakes and the questions that most went wrong, in two columns."""
    _head(figure, "What went wrong most", keys=False)
    for x, title, entries in (
            (0.04, "Mistakes in exercises", [(_count(count, "learner"), f"{text} ({name})") for count, text, name in met]),
            (0.53, "Predictions", [(f"{wrong} of {made} wrong", f"{question} ({name})") for wrong, made, name, question in missed])):
        figure.text(x, 0.88, title, fontsize=14, fontweight="bold", va="top")
        line = 0
        for count, text in entries or [("none", "")]:
            wrapped = textwrap.wrap(text.replace("`", ""), 46, break_on_hyphens=False)
            if line + len(wrapped) > LINES:
                break
            figure.text(x, 0.82 - 0.035 * line, count, fontsize=12, fontweight="bold", va="top")
            figure.text(x + 0.13, 0.82 - 0.035 * line, "\n".join(wrapped), fontsize=12, va="top", linespacing=1.15, parse_math=False)
            line += len(wrapped) + 0.5
