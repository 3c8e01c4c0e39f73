"""What a learner has done, over all lessons.

    progress.show()             a table: predictions made, exercises solved, hints used, lesson by lesson
    progress.certificate()      the same, and the answers of the exam, in a file to keep

Both read the record. Not here: how it is kept (notebook/progress_file.py), and what is asked (predict.py, exercises/).
"""
import datetime
from dataclasses import dataclass, field
from pathlib import Path

from .core import tables
from .exercises.exam_questions import QUESTIONS
from .exercises.lessons import EXERCISES
from .exercises.lessons.titles import TITLES
from .notebook import display as shown
from .notebook.progress_file import record

CERTIFICATE = "course-certificate.md"
HEADINGS = ("lesson", "predictions made", "of these right", "exercises solved", "hints used")


@dataclass
class Lesson:
    """What is done of one lesson."""

    number: str
    made: int = 0           # predictions made before their cell ran
    right: int = 0          # of these
    hints: int = 0
    solved: list = field(default_factory=list)      # exercises
    open: list = field(default_factory=list)        # exercises not solved yet

    @property
    def row(self):
        """The lesson's row of the table, as texts."""
        every = len(self.solved) + len(self.open)
        bar = "■" * len(self.solved) + "□" * len(self.open)
        return (f"{self.number} {TITLES[self.number]}", str(self.made), str(self.right),
                f"{bar} {len(self.solved)} of {every}".strip(), str(self.hints))


def lessons():
    """What is done of each lesson, in order: a list of Lesson."""
    found = {number: Lesson(number) for number in TITLES}
    for name, entry in record().part("predictions").items():
        lesson = found.get(name[:2])    # none, where a later version of the course has renamed it
        if lesson and "answer" in entry and not entry.get("after"):
            lesson.made += 1
            lesson.right += entry.get("right", False)
    kept = record().part("exercises")
    for exercise in EXERCISES.values():
        entry, lesson = kept.get(exercise.id, {}), found[exercise.lesson]
        (lesson.solved if entry.get("solved") else lesson.open).append(exercise)
        lesson.hints += entry.get("hints", 0)
    return list(found.values())


def table(every):
    """The overview of `lessons()`: rows of texts below HEADINGS, the sums last."""
    made, right, hints = (sum(getattr(lesson, name) for lesson in every) for name in ("made", "right", "hints"))
    solved = sum(len(lesson.solved) for lesson in every)
    total = ("all lessons", str(made), str(right), f"{solved} of {len(EXERCISES)}", str(hints))
    return [*(lesson.row for lesson in every), total]


def show():
    """Show what is done, over all lessons, and where to go on."""
    every = lessons()
    rows = table(every)
    following = next((exercise for lesson in every for exercise in lesson.open), None)
    said = "\n".join([f"Next: lesson {following.lesson}, exercise {following.id}." if following else
                      "Every exercise is solved. progress.certificate() writes down what you have done.",
                      *record().news()])
    shown.show(f"{tables.text(rows, HEADINGS)}\n\n{said}", _as_html(rows) + shown.message(said))


def certificate(path=CERTIFICATE):
    """Write what was answered into a file, in Markdown, and show it. path: of the file; it is written anew.

    Where COURSE_PROGRESS is "off", or the file cannot be written, it is only shown.
    """
    text = _certificate()
    today = f"Written on {datetime.date.today().isoformat()}."
    said = f"This is in the file {path}."
    if record().path is None:
        said = "No file was written: there is no record on disk (see COURSE_PROGRESS)."
    else:
        try:
            Path(path).write_text(f"{text}\n{today}\n", encoding="utf-8")
        except OSError as error:
            said = f"{path} cannot be written ({error.strerror}): copy the text above, or name another file."
    rows = table(lessons())
    shown.show(f"{text}\n{said}", f"{_as_html(rows)}{shown.paragraphs(_exam())}{shown.message(said)}")


def _certificate():
    """The certificate as Markdown. No date: it is the same as long as the record is."""
    kept = record().part("exercises")
    solved = [f"- {exercise.title} (lesson {exercise.lesson})"
              + (", after its solution was shown" if kept[exercise.id].get("solution") else "")
              for lesson in lessons() for exercise in lesson.solved]
    return "\n".join(["# CUDA's memory spaces: what was done", "",
                      tables.markdown(table(lessons()), HEADINGS, aligned=False), "",
                      "## Exercises solved", "", *(solved or ["None yet."]), "", "## Exam", "", _exam(), ""])


def _exam():
    """What was answered in the exam, as text."""
    kept = record().part("exam")
    answered = [question for question in QUESTIONS if question.id in kept]
    right = sum(kept[question.id].get("right", False) for question in answered)
    lines = [f"{right} of {len(QUESTIONS)} answers right, {len(answered)} questions answered."]
    for question in answered:
        entry = kept[question.id]
        lines.append(f"- {question.text} {entry.get('answer', '')}: {'right' if entry.get('right') else 'wrong'}")
    return "\n".join(lines)


def _as_html(rows):
    return tables.html(rows, HEADINGS, cells="style='text-align:left; padding:2px 14px 2px 0; white-space:nowrap'",
                       table="style='border-spacing:0; line-height:1.5'")
