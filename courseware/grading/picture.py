"""A class on slides of 16:9: by lesson, by learner, and what it got wrong.

What a colour says, a mark or its lightness says too.
"""
import io
import textwrap
from collections import Counter
from pathlib import Path

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from course_files import write_own

from ..course import LESSONS
from ..exercises.catalogue import EXERCISES, of_lesson
from .class_records import begun

SLIDE = 12.8, 7.2       # inches
DOTS = 150              # an inch: 1920 x 1080
LEARNERS = 30           # on a slide
# state -> its colour, the colour of what is written on it, and its words
STATES = {"solved": ("#1b7837", "white", "solved; predicted right"),
          "shown": ("#7fbf7b", "black", "solved after the solution"),
          "tried": ("#e08214", "black", "tried, not solved; predicted wrong"),
          "open": ("#eeeeee", "#767676", "not yet")}
CENTRED = {"ha": "center", "va": "center"}


def mistakes(learners):
    """[("3 learners", "the mistake (exercise's id)")], the most frequent first.

    Others than the course's are nobody's to show.
    """
    met = Counter(f"{mistake.short} ({name})" for learner in learners for name, exercise in EXERCISES.items()
                  for mistake in exercise.mistakes if mistake.short in learner.exercise(name).get("mistakes", ()))
    return [(_count(count, "learner"), mistake) for mistake, count in met.most_common()]


def predictions(learners):
    """[("3 of 5 wrong", "the question (prediction's name)")], the one that most got wrong first."""
    missed = []
    for lesson in LESSONS:
        predicted = [learner.done[lesson.topic].predicted for learner in learners]
        for name, prediction in lesson.read("predictions.toml").items():
            right = [answers[name] for answers in predicted if name in answers]
            if not all(right):
                missed.append((right.count(False), len(right), f"{prediction['question']} ({name})"))
    missed.sort(key=lambda row: (-row[0], row[1]))
    return [(f"{wrong} of {count} wrong", question) for wrong, count, question in missed]


def draw(learners, path):
    """Draw the slides into PNG files.

    For class.png these are class-lessons.png, class-learners.png (and -2 ...) and class-mistakes.png.

    Returns their paths. Raises OSError, and NotOurs for files that are others'.
    """
    path, paths = Path(path), []
    for name, figure in slides(learners):
        drawn = io.BytesIO()
        figure.savefig(drawn, dpi=DOTS, format="png")
        paths.append(path.with_name(f"{path.stem}-{name}{path.suffix or '.png'}"))
        write_own(paths[-1], drawn.getvalue())
    return paths


def slides(learners):
    """Yield (name, figure) of each slide."""
    lessons = begun(learners)
    length = -(-len(learners) // -(-len(learners) // LEARNERS))     # pages of the same length, to the one
    pages = [learners[start:start + length] for start in range(0, len(learners), length)]
    for name, fill, *data in (("lessons", _by_lesson, lessons, learners),
                              *((f"learners-{page}".removesuffix("-1"), _by_learner, lessons, some)
                                for page, some in enumerate(pages, 1)),
                              ("mistakes", _wrong, mistakes(learners), predictions(learners))):
        with matplotlib.rc_context({"text.parse_math": False, "text.usetex": False}):     # a name may have a $ in it
            figure = Figure(figsize=SLIDE)
            FigureCanvasAgg(figure)
            fill(figure, *data)
        yield name, figure


def _head(figure, title, keys=True):
    figure.text(0.02, 0.965, title, fontsize=16, fontweight="bold", va="center")
    if keys:
        patches = [Patch(color=colour, label=words) for colour, _, words in STATES.values()]
        figure.legend(handles=patches, loc="center right", bbox_to_anchor=(0.99, 0.965), ncols=4, fontsize=9,
                      frameon=False)


def _count(number, word):
    return f"{number} {word}{'s' * (number != 1)}"


def _by_lesson(figure, lessons, learners):
    """A row for each lesson: a bar for its exercises, over all learners, and one for its predictions. No names."""
    _head(figure, f"By lesson: {_count(len(learners), 'learner')}")
    sides = figure.subplots(1, 2, sharey=True)
    for row, lesson in enumerate(lessons):
        answers = [right for learner in learners for right in learner.done[lesson.topic].predicted.values()]
        total = len(learners) * len(learners[0].done[lesson.topic].predictions)
        solved = Counter(learner.state(exercise.id) for exercise in of_lesson(lesson).values() for learner in learners)
        predicted = Counter(solved=answers.count(True), tried=answers.count(False), open=total - len(answers))
        for axes, counts in zip(sides, (solved, predicted)):
            start = 0
            for state, (colour, ink, _) in STATES.items():
                width = 100 * counts[state] / (sum(counts.values()) or 1)
                axes.barh(row, width, left=start, height=0.75, color=colour)
                if width >= 6:
                    axes.text(start + width / 2, row, str(counts[state]), fontsize=11, color=ink, **CENTRED)
                start += width
    for axes, noun in zip(sides, ("exercises", "predictions")):
        axes.set_xlabel(f"percent of the {noun}; in the bars, how many", fontsize=11)
        axes.set(xlim=(0, 100), ylim=(max(len(lessons), 6) - 0.5, -0.5))
        axes.tick_params(axis="y", length=0)
        axes.spines[["top", "right", "left"]].set_visible(False)
    sides[0].set_yticks(range(len(lessons)), [lesson.heading for lesson in lessons], fontsize=12)
    figure.subplots_adjust(left=0.28, right=0.97, top=0.92, bottom=0.09, wspace=0.06)


def _by_learner(figure, lessons, learners):
    """A row for each learner, a column for each exercise, grouped by lesson; the tries where it is not solved."""
    _head(figure, "By learner: who is where")
    columns, edges, place = [], [], 0
    for lesson in filter(of_lesson, lessons):
        columns += [(place + number, exercise) for number, exercise in enumerate(of_lesson(lesson).values())]
        edges.append((place, lesson.number or "side\ntrip"))
        place += max(len(of_lesson(lesson)), 1 if lesson.number else 1.3) + 0.4
    place = max(place, 8)
    axes = figure.add_axes((0.16, 0.06, 0.68, 0.60))
    rows = max(len(learners), 6) + 0.5
    row_size = min(13, 330 / rows * 0.75)       # of letters, for the height of a row
    size = min(row_size, 760 / place * 0.7)     # and for the width of a column
    for row, learner in enumerate(learners):
        for x, exercise in columns:
            state = learner.state(exercise.id)
            colour, ink, _ = STATES[state]
            axes.add_patch(Rectangle((x, row - 0.45), 0.94, 0.9, color=colour))
            mark = _mark(learner, exercise, state)
            mark_size = size * 0.75 if len(mark) > 1 else size
            axes.text(x + 0.47, row, mark, fontsize=mark_size, color=ink, **CENTRED)
        predicted = [right for lesson_progress in learner.done.values() for right in lesson_progress.predicted.values()]
        solved = sum(learner.state(exercise.id) in ("solved", "shown") for _, exercise in columns)
        for x, text in ((0.88, f"{solved} of {len(columns)}"), (0.955, f"{sum(predicted)} of {len(predicted)}")):
            figure.text(x, 0.66 - 0.60 * (row + 0.5) / rows, text, fontsize=row_size, **CENTRED)
    for x, exercise in columns:    # below the last row
        solvers = sum(exercise in learner.done[exercise.lesson].solved for learner in learners)
        axes.text(x + 0.47, len(learners) - 0.1, str(solvers), fontsize=size * 0.75, **CENTRED)
    for x, text in ((0.88, "exercises\nsolved"), (0.955, "predicted\nright")):
        figure.text(x, 0.675, text, ha="center", va="bottom", fontsize=9)
    for x, label in edges:
        axes.text(x, -0.5 - rows * 0.38, label, fontsize=min(13, max(size, 8)) * (0.8 if "\n" in label else 1),
                  fontweight="bold", va="center")
    axes.set(xlim=(-0.2, place), ylim=(rows - 0.5, -0.5))
    axes.xaxis.tick_top()
    axes.set_xticks([x + 0.47 for x, _ in columns], [exercise.id for _, exercise in columns], rotation=90,
                    fontsize=min(12, max(size, 7)))
    names = [textwrap.shorten(learner.name, 22, placeholder="...") for learner in learners]
    axes.set_yticks(range(len(learners)), names, fontsize=row_size)
    axes.tick_params(length=0)
    axes.set_xlabel("exercises by lesson: ✓ solved, s solved after the solution, a number: so many tries, not "
                    "solved; below: how many of these learners solved it", fontsize=9)
    axes.xaxis.set_label_position("bottom")
    axes.spines[:].set_visible(False)


def _mark(learner, exercise, state):
    """What is written into a learner's field for an exercise."""
    if state == "tried":
        tries = learner.exercise(exercise.id).get("tries", 0)
        return str(min(tries, 99))
    return {"solved": "✓", "shown": "s", "open": ""}[state]


def _wrong(figure, met, missed):
    """The mistakes and the questions that most went wrong, in two columns."""
    _head(figure, "What went wrong most", keys=False)
    for x, title, entries in ((0.04, "Mistakes in exercises", met), (0.53, "Predictions", missed)):
        figure.text(x, 0.88, title, fontsize=14, fontweight="bold", va="top")
        y = 0.82
        for count, text in entries or [("none", "")]:
            lines = textwrap.wrap(text.replace("`", ""), 46, break_on_hyphens=False)
            if y - 0.035 * len(lines) < 0.05:
                break
            figure.text(x, y, count, fontsize=12, fontweight="bold", va="top")
            figure.text(x + 0.13, y, "\n".join(lines), fontsize=12, va="top", linespacing=1.15)
            y -= 0.035 * (len(lines) + 0.5)
