"""What a learner has done, over all lessons.

    progress.show()             a table: predictions made, exercises solved, hints used, lesson by lesson
    progress.certificate()      the same, and what was answered in the exam, in a file to keep

Both read the record. Not here: how it is kept (notebook/progress_file.py), and what is asked (predict.py, exercises/).
"""
import datetime
from dataclasses import dataclass, field
from pathlib import Path

from course_lib.core import tables

from .course import LESSONS, Lesson, lesson, topic_of
from .exercises.catalogue import EXERCISES
from .exercises.exam_sitting import sittings
from .notebook import display as shown
from .notebook.progress_file import record

CERTIFICATE = "course-certificate.md"
NO_PROOF = ("This is a record, not a proof. It is made from a file on the learner's own machine, which anyone can "
            "edit, and nobody watched.")
HEADINGS = ("lesson", "predictions made", "of these right", "exercises solved", "hints used")


@dataclass
class Done:
    """What is done of one lesson."""

    lesson: Lesson
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
        return (self.lesson.heading, str(self.made), str(self.right),
                f"{bar} {len(self.solved)} of {every}".strip(), str(self.hints))


def lessons():
    """What is done of each lesson, in order: a list of Done."""
    found = {one.topic: Done(one) for one in LESSONS}
    for name, entry in record().part("predictions").items():
        done = found.get(topic_of(name))    # none, where the course has renamed it since
        if done and "answer" in entry and not entry.get("after"):
            done.made += 1
            done.right += entry.get("right", False)
    kept = record().part("exercises")
    for exercise in EXERCISES.values():
        entry, done = kept.get(exercise.id, {}), found[exercise.lesson]
        (done.solved if entry.get("solved") else done.open).append(exercise)
        done.hints += entry.get("hints", 0)
    return list(found.values())


def table(every):
    """The overview of `lessons()`: rows of texts below HEADINGS, the sums last."""
    made, right, hints = (sum(getattr(done, name) for done in every) for name in ("made", "right", "hints"))
    solved = sum(len(done.solved) for done in every)
    total = ("all lessons", str(made), str(right), f"{solved} of {len(EXERCISES)}", str(hints))
    return [*(done.row for done in every), total]


def show():
    """Show what is done, over all lessons, and where to go on."""
    every = lessons()
    rows = table(every)
    following = next((exercise for done in every for exercise in done.open), None)
    said = "\n".join([f"Next: {lesson(following.lesson).told}, exercise {following.id}." if following else
                      "Every exercise is solved. progress.certificate() writes down what you have done.",
                      *(f"Exam{_which(one)}: {one.result}" for one in sittings()), *record().news()])
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
    told = shown.paragraphs(f"{NO_PROOF}\n\nExam\n\n{_exam()}")
    shown.show(f"{text}\n{said}", f"{_as_html(table(lessons()))}{told}{shown.message(said)}")


def _certificate():
    """The certificate as Markdown. No date: it is the same as long as the record is."""
    kept = record().part("exercises")
    solved = [f"- {exercise.title} ({lesson(exercise.lesson).told})"
              + (", after its solution was shown" if kept[exercise.id].get("solution") else "")
              for done in lessons() for exercise in done.solved]
    return "\n".join(["# CUDA's memory spaces: what was done", "", NO_PROOF, "",
                      tables.markdown(table(lessons()), HEADINGS, aligned=False), "",
                      "## Exercises solved", "", *(solved or ["None yet."]), "", "## Exam", "", _exam(), ""])


def _exam():
    """What was answered in the exam, sitting by sitting, as Markdown."""
    return "\n\n".join([_sitting(one) for one in sittings()] or ["Not taken yet."])


def _sitting(sitting):
    """One sitting of the exam: how it stands, and the first answer to each listing."""
    firsts = [(listing, sitting.first(listing)) for listing in sitting.listings]
    drivers = dict.fromkeys(first.driver for _, first in firsts if first)
    head = f"Eight listings, predicted line by line and then run{_on(drivers)}{_which(sitting)}."
    lines = [f"{head} {sitting.result}", ""]
    for listing, first in firsts:
        if first is None:
            lines.append(f"- {listing.id} ({lesson(listing.lesson).told}): not answered")
            continue
        said = ", ".join(f"`{text}`" for text in first.answer)
        printed = "" if first.right else " It printed " + ", ".join(f"`{text}`" for text in first.printed) + "."
        again = f" Answered {first.tries} times." if first.tries > 1 else ""
        lines.append(f"- {listing.id} ({lesson(listing.lesson).told}), {first.when}: predicted {said}, "
                     f"{'right' if first.right else 'not right'}.{printed}{again}")
    return "\n".join(lines)


def _which(sitting):
    return f", sitting {sitting.number}" if len(sittings()) > 1 else ""


def _on(drivers):
    return f" on the {' and on the '.join(drivers)}" if drivers else ""


def _as_html(rows):
    return tables.scrolled(tables.html(
        rows, HEADINGS, cells="style='text-align:left; padding:2px 14px 2px 0; white-space:nowrap'",
        table="style='border-spacing:0; line-height:1.5'"))
