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
from .exercises.done import done, done_of
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
    """What is done of each lesson, in order: a list of LessonProgress."""
    return list(done(record().part("predictions"), record().part("exercises")).values())


def _predicted(done_here):
    return f"{len(done_here.predicted)} of {len(done_here.predictions)}"


def _solved(done_here):
    """How many exercises are solved, as a bar and in words."""
    solved, still_open = len(done_here.solved), len(done_here.open)
    return f"{'■' * solved}{'□' * still_open} {solved} of {solved + still_open}"


def table(all_done, linked=False):
    """The overview of `lessons()`: rows of texts below HEADINGS, the sums last.

    linked: lessons as links, see display.linked
    """
    rows = [_row(done_here, linked) for done_here in all_done]
    predicted = sum(len(done_here.predicted) for done_here in all_done)
    predictions = sum(len(done_here.predictions) for done_here in all_done)
    right = sum(done_here.right for done_here in all_done)
    solved = sum(len(done_here.solved) for done_here in all_done)
    hints = sum(done_here.hints for done_here in all_done)
    return [*rows, ("all lessons", f"{predicted} of {predictions}", str(right), f"{solved} of {len(EXERCISES)}",
                    str(hints))]


def _row(done_here, linked):
    name = _link(done_here.lesson) if linked else done_here.lesson.heading
    return name, _predicted(done_here), str(done_here.right), _solved(done_here), str(done_here.hints)


def show():
    """Show what is done, over all lessons, and where to go on."""
    all_done = lessons()
    following = next((exercise for done_here in all_done for exercise in done_here.open), None)
    exams = [f"Exam{_which(sitting)}: {sitting.result}" for sitting in sittings()]
    news = record().news()

    def next_step(called):
        step = "Every exercise is solved. progress.certificate() writes down what you have done."
        if following:
            step = f"Next: {called(course.lesson(following.lesson))}, exercise {following.id}."
        return "\n".join([step, *exams, *news])
    shown.show(f"{tables.text(table(all_done), HEADINGS)}\n\n{next_step(lambda lesson: lesson.mention)}",
               _as_html(table(all_done, linked=True)) + shown.message(next_step(_link)))


def lesson(topic):
    """Show what is done of one lesson, where to go on, and a question of an earlier lesson that was missed.

    topic: such as "pinned"

    Raises WrongArgument where there is no such lesson.
    """
    this_lesson = course.lesson(topic)
    done_here = done_of(this_lesson, record().part("predictions"), record().part("exercises"))
    news = record().news()

    def summary(called):
        return "\n".join([*_standing(done_here), *_ways_on(this_lesson, called), "All lessons: `progress.show()`",
                          *news])
    shown.show(summary(lambda lesson: lesson.heading), shown.message(summary(_link), not done_here.open or None))
    again.show(topic)


def _standing(done_here):
    """Yield what is done of a lesson, and what is open."""
    yield (f"{done_here.lesson.heading}: exercises solved: {_solved(done_here)}; "
           f"predicted: {_predicted(done_here)}, {done_here.right} right.")
    if done_here.open:
        yield f"Still open here: {', '.join(f'`{exercise.id}`' for exercise in done_here.open)}."


def _ways_on(this_lesson, called):
    """Yield where to go on from a lesson. called: a function that gives a Lesson's name"""
    following = next((later for later in LESSONS[LESSONS.index(this_lesson) + 1:] if later.number), None)
    yield (f"Next: {called(following)}" if following else
           "The road ends here. `progress.certificate()` writes down what you have done.")
    way = course.way_of(this_lesson.topic)
    next_on_it = way and way.after(this_lesson.topic)
    if next_on_it and next_on_it != following:
        yield f"{way.name.capitalize()}: {called(next_on_it)}"
    if way and not next_on_it:
        yield f"This is the last lesson {way.name}. The other way begins with {called(way.other)}"
    for side_trip in LESSONS:
        if side_trip.of == this_lesson.topic:
            yield f"On the way: {called(side_trip)}"


def reset(word=""):
    """Begin again: predictions, exercises and the exam become open. What was there stays in another file, beside the
    record.

    word: START_OVER, so that it does not happen by accident. Without it, it is only said what would happen
    """
    if word != START_OVER:
        shown.say(f"`progress.reset({START_OVER!r})` forgets your predictions, your solved exercises and the exam. A "
                  "copy of them stays in a file.")
        return
    try:
        aside = record().reset()
    except OSError as error:
        shown.say(f"Nothing was changed: {error.strerror or error}.", False)
        return
    backup = "There was no file of what you did."
    if aside:
        backup = f"What you did is in the file {aside}. To have it back, give it the name {record().path.name}."
    shown.say(f"You begin again. {backup}\n"
              "Now restart the kernel of each notebook that is open (Kernel > Restart Kernel).", True)


def _link(lesson):
    """A lesson as a link from the notebook that runs."""
    to_notebooks = "../" if Path.cwd().name == "side_trips" else ""
    return f"[{lesson.heading}]({to_notebooks}{lesson.notebook})"


def certificate(path=CERTIFICATE):
    """Write what was answered into a file, in Markdown, and show it. path: of the file

    An earlier certificate is written anew, if nobody has changed it. Where COURSE_PROGRESS is "off", or the file is
    another's or cannot be written, the certificate is only shown.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise WrongArgument(f"path is the name of the file for the certificate, such as {CERTIFICATE!r}, and not "
                            f"{path!r}")
    length = len(os.fsencode(os.path.basename(path)))
    if length > LONGEST_NAME:
        raise WrongArgument(f"the name of a file has at most {LONGEST_NAME} bytes, and this one has {length}: choose a "
                            f"shorter one, such as {CERTIFICATE!r}")
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
            reason = getattr(error, "strerror", error)
            where = f"{path} cannot be written ({reason}): copy the text above, or name another file."
    exam = shown.paragraphs(f"{NO_PROOF}\n\nExam\n\n{_exam()}")
    shown.show(f"{text}\n{where}", f"{_as_html(table(lessons()))}{exam}{shown.message(where)}")


def _certificate():
    """The certificate as Markdown. No date: it is the same as long as the record is."""
    entries = record().part("exercises")
    solved = []
    for done_here in lessons():
        for exercise in done_here.solved:
            after = ", after its solution was shown" if entries[exercise.id].get("solution") else ""
            solved.append(f"- {exercise.title} ({done_here.lesson.mention}){after}")
    overview = tables.markdown(table(lessons()), HEADINGS, aligned=False)
    return "\n\n".join(["# CUDA's memory spaces: what was done", NO_PROOF, overview,
                        "## Exercises solved", "\n".join(solved or ["None yet."]), "## Exam", _exam()]) + "\n"


def _exam():
    """What was answered in the exam, sitting by sitting, as Markdown."""
    return "\n\n".join([_sitting(sitting) for sitting in sittings()] or ["Not taken yet."])


def _sitting(sitting):
    """One sitting of the exam: how it stands, and the first answer to each listing."""
    first_answers = {listing: sitting.first_answer(listing) for listing in sitting.listings}
    drivers = dict.fromkeys(first_answer.driver for first_answer in first_answers.values() if first_answer)
    run = " and".join(f" on the {driver}" for driver in drivers)
    head = f"Eight listings, predicted line by line and then run{run}{_which(sitting)}."
    return "\n".join([f"{head} {sitting.result}", "", *map(_answered, first_answers, first_answers.values())])


def _answered(listing, first_answer):
    """The first answer to a listing, as a line of Markdown. first_answer: None while it is open"""
    name = f"- {listing.id} ({course.lesson(listing.lesson).mention})"
    if first_answer is None:
        return f"{name}: not answered"
    outcome = "right." if first_answer.right else f"not right. It printed {_code(first_answer.printed)}."
    tries = f" Answered {first_answer.tries} times." if first_answer.tries > 1 else ""
    return f"{name}, {first_answer.when}: predicted {_code(first_answer.answer)}, {outcome}{tries}"


def _code(texts):
    return ", ".join(f"`{text}`" for text in texts)


def _which(sitting):
    return f", sitting {sitting.number}" if len(sittings()) > 1 else ""


def _as_html(rows):
    cells = "style='text-align:left; padding:2px 14px 2px 0; white-space:nowrap'"
    overview = tables.html(rows, HEADINGS, cells=cells, table="style='border-spacing:0; line-height:1.5'")
    # The text's colour: JupyterLab 3's links are too pale on the grey of every second row.
    return tables.scrolled(shown.linked(overview, style=f"color:inherit; {shown.UNDERLINED}"))
