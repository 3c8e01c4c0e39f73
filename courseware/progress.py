"""What a learner has done, over all lessons.

    progress.lesson("pinned")   what is done of one lesson, and where to go on: for its end
    progress.show()             a table: predictions made, exercises solved, hints used, lesson by lesson
    progress.reset()            how to begin again
    progress.certificate()      the table, and what was answered in the exam, in a file to keep

All read the record. Not here: how it is kept (notebook/progress_file.py), and what is asked (predictions/, exercises/).
"""
import datetime
import os
from pathlib import Path

from course_lib.core import tables
from course_lib.core.errors import WrongArgument

from course_files import NotOurs, write_own

from . import course
from .course import LESSONS
from .exercises.catalogue import EXERCISES
from .exercises.done import done
from .exercises.exam_sitting import sittings
from .notebook import display as shown
from .notebook.progress_file import record
from .predictions import again

CERTIFICATE = "course-certificate.md"
LONGEST_NAME = 255      # bytes (NAME_MAX of Linux's file systems)
NO_PROOF = ("This is a record, not a proof. It is made from a file on the learner's own machine, which anyone can "
            "edit, and nobody watched.")
HEADINGS = ("lesson", "predicted", "of these right", "exercises solved", "hints used")
START_OVER = "start over"       # what `reset` wants to hear


def lessons():
    """What is done of each lesson, in order: a list of Done."""
    return list(done(record().part("predictions"), record().part("exercises")).values())


def _predicted(stands):
    return f"{len(stands.predicted)} of {len(stands.asked)}" if stands.asked else ""


def _solved(stands):
    """How many exercises are solved, as a bar and in words."""
    solved, still = len(stands.solved), len(stands.open)
    return f"{'■' * solved}{'□' * still} {solved} of {solved + still}" if solved + still else ""


def table(every, linked=False):
    """The overview of `lessons()`: rows of texts below HEADINGS, the sums last. linked: lessons as links, see display.linked"""
    asked, predicted, solved = (sum(len(getattr(part, name)) for part in every) for name in ("asked", "predicted", "solved"))
    rows = [(_link(stands.lesson) if linked else stands.lesson.heading, _predicted(stands), str(stands.right) if stands.asked else "",
             _solved(stands), str(stands.hints)) for stands in every]
    return [*rows, ("all lessons", f"{predicted} of {asked}", str(sum(stands.right for stands in every)), f"{solved} of {len(EXERCISES)}",
                    str(sum(stands.hints for stands in every)))]


def show():
    """Show what is done, over all lessons, and where to go on."""
    every = lessons()
    following = next((exercise for stands in every for exercise in stands.open), None)
    more = "\n".join([*(f"Exam{_which(sitting)}: {sitting.result}" for sitting in sittings()), *record().news()])

    def next_step(called):
        return (f"Next: {called(course.lesson(following.lesson))}, exercise {following.id}." if following else
                "Every exercise is solved. progress.certificate() writes down what you have done.") + f"\n{more}".rstrip()
    shown.show(f"{tables.text(table(every), HEADINGS)}\n\n{next_step(lambda lesson: lesson.told)}",
               _as_html(table(every, linked=True)) + shown.message(next_step(_link)))


def lesson(topic):
    """Show what is done of one lesson, where to go on, and a question of an earlier lesson that was missed. topic: such as "pinned"

    Raises WrongArgument where there is no such lesson.
    """
    here = course.lesson(topic)
    stands = lessons()[LESSONS.index(here)]
    parts = [f"exercises solved: {_solved(stands)}", f"predicted: {_predicted(stands)}, {stands.right} right"]
    parts = [part for part in parts if " of " in part]
    still = [f"Still open here: {', '.join(f'`{exercise.id}`' for exercise in stands.open)}."] if stands.open else []
    following = next((later for later in LESSONS[LESSONS.index(here) + 1:] if later.number), None)
    road = dict(zip(course.SHORT_ROAD, course.SHORT_ROAD[1:]))
    short = course.lesson(road[topic]) if topic in road else None
    news = record().news()

    def summary(called):
        ways = [f"Next: {called(following)}" if following else "The road ends here. `progress.certificate()` "
                "writes down what you have done."]
        ways += [f"On the short road: {called(short)}"] if short not in (None, following) else []
        ways += [f"On the way: {called(side_trip)}" for side_trip in LESSONS if side_trip.of == topic]
        return "\n".join([f"{here.heading}: {'; '.join(parts)}.", *still, *ways, "All lessons: `progress.show()`", *news])
    shown.show(summary(lambda lesson: lesson.heading), shown.message(summary(_link), True if stands.solved and not stands.open else None))
    again.show(topic)


def reset(word=""):
    """Begin again: predictions, exercises and the exam become open. What was kept stays in another file, beside the record.

    word: START_OVER, so that it does not happen by accident. Without it, it is only said what would happen
    """
    if word != START_OVER:
        shown.say(f"`progress.reset({START_OVER!r})` forgets your predictions, your solved exercises and the exam. A copy of them "
                  "stays in a file.")
        return
    try:
        aside = record().reset()
    except OSError as error:
        shown.say(f"Nothing was changed: {error.strerror or error}.", False)
        return
    backup = f"What you did is in the file {aside}. To have it back, give it the name {record().path.name}." if aside else (
        "There was no file of what you did.")
    shown.say(f"You begin again. {backup}\nNow restart the kernel of each notebook that is open (Kernel > Restart Kernel).", True)


def _link(lesson):
    """A lesson as a link from the notebook that runs."""
    return f"[{lesson.heading}]({'../' if Path.cwd().name == 'side_trips' else ''}{lesson.notebook})"


def certificate(path=CERTIFICATE):
    """Write what was answered into a file, in Markdown, and show it. path: of the file

    An earlier certificate is written anew, if nobody has changed it. Where COURSE_PROGRESS is "off", or the file is another's or cannot be
    written, the certificate is only shown.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise WrongArgument(f"path is the name of the file for the certificate, such as {CERTIFICATE!r}, and not {path!r}")
    if (length := len(os.fsencode(os.path.basename(path)))) > LONGEST_NAME:
        raise WrongArgument(f"the name of a file has at most {LONGEST_NAME} bytes, and this one has {length}: choose a shorter one, such "
                            f"as {CERTIFICATE!r}")
    text = _certificate()
    today = f"Written on {datetime.date.today().isoformat()}."
    where = f"This is in the file {path}."
    if record().path is None:
        where = "No file was written: there is no record on disk (see COURSE_PROGRESS)."
    else:
        try:
            write_own(path, f"{text}\n{today}\n")
        except NotOurs as error:
            where = str(error)
        except (OSError, ValueError) as error:      # a name with a null byte
            where = f"{path} cannot be written ({getattr(error, 'strerror', error)}): copy the text above, or name another file."
    exam = shown.paragraphs(f"{NO_PROOF}\n\nExam\n\n{_exam()}")
    shown.show(f"{text}\n{where}", f"{_as_html(table(lessons()))}{exam}{shown.message(where)}")


def _certificate():
    """The certificate as Markdown. No date: it is the same as long as the record is."""
    entries = record().part("exercises")
    solved = [f"- {exercise.title} ({course.lesson(exercise.lesson).told})"
              + (", after its solution was shown" if entries[exercise.id].get("solution") else "")
              for stands in lessons() for exercise in stands.solved]
    return "\n".join(["# CUDA's memory spaces: what was done", "", NO_PROOF, "",
                      tables.markdown(table(lessons()), HEADINGS, aligned=False), "",
                      "## Exercises solved", "", *(solved or ["None yet."]), "", "## Exam", "", _exam(), ""])


def _exam():
    """What was answered in the exam, sitting by sitting, as Markdown."""
    return "\n\n".join([_sitting(sitting) for sitting in sittings()] or ["Not taken yet."])


def _sitting(sitting):
    """One sitting of the exam: how it stands, and the first answer to each listing."""
    firsts = [(listing, sitting.first(listing)) for listing in sitting.listings]
    driven = "".join(f"{' and' * (number > 0)} on the {driver}" for number, driver in enumerate(
        dict.fromkeys(first.driver for _, first in firsts if first)))
    head = f"Eight listings, predicted line by line and then run{driven}{_which(sitting)}."
    lines = [f"{head} {sitting.result}", ""]
    for listing, first in firsts:
        if first is None:
            lines.append(f"- {listing.id} ({course.lesson(listing.lesson).told}): not answered")
            continue
        predicted = ", ".join(f"`{text}`" for text in first.answer)
        printed = "" if first.right else " It printed " + ", ".join(f"`{text}`" for text in first.printed) + "."
        again = f" Answered {first.tries} times." if first.tries > 1 else ""
        lines.append(f"- {listing.id} ({course.lesson(listing.lesson).told}), {first.when}: predicted {predicted}, "
                     f"{'right' if first.right else 'not right'}.{printed}{again}")
    return "\n".join(lines)


def _which(sitting):
    return f", sitting {sitting.number}" if len(sittings()) > 1 else ""


def _as_html(rows):
    # The text's colour: JupyterLab 3's links are too pale on the grey of every second row.
    return tables.scrolled(shown.linked(tables.html(
        rows, HEADINGS, cells="style='text-align:left; padding:2px 14px 2px 0; white-space:nowrap'",
        table="style='border-spacing:0; line-height:1.5'"), style=f"color:inherit; {shown.UNDERLINED}"))
