"""``python -m courseware grade FOLDER``: the records of a class as a gradebook, and as slides.

    collecting        whose record a file is: folders as learners, Moodle and nbgrader leave them
    class_records     the records of a folder, and what speaks against one of them
    gradebook         a row for each learner, columns by lesson, as CSV
    picture           slides: by lesson, by learner, and which mistakes and predictions went wrong most

A record is a learner's own file (notebook/progress_file.py). It is read as data, and nothing of it is run.
"""
import textwrap

from course_lib.core.errors import WrongArgument

from course_files import refuse_changed

from . import gradebook
from .class_records import read_folder
from .collecting import printable
from .picture import draw, predictions

__all__ = ["grade"]

MISSED = 20     # of the predictions that a class missed, the most missed
DOUBTS = 3      # of a record; more say no more
LONGEST = 400   # characters of a sentence about a record: what is in it may be as long as anybody likes


def grade(folder, table="gradebook.csv", picture="class.png", class_list=None, say=print):
    """Read every record of a folder, write the gradebook and the slides, and say what was read and what was missed.

    folder:     or a .zip; collecting.py says what may lie in it
    table:      the CSV file to write; picture: what the names of the PNG files to write begin with
    class_list: a CSV file whose columns stand for the learners in the gradebook (gradebook.write)
    say:        is called with each sentence

    Returns how many learners were read. Raises WrongArgument where there is no folder, no record that can be read, or
    no list; NotOurs where a file to write is somebody's who wrote into it.
    """
    refuse_changed(table)
    learners, refused = read_folder(folder)
    for name, why in refused:
        say(_short(f"{name}: {why}"))
    for learner in learners:
        for doubt in learner.doubts[:DOUBTS]:
            say(_short(f"{learner.file}: looks made by hand, {doubt}"))
    if not learners:
        raise WrongArgument(f"no record in {folder} can be read: they are the files course-progress.json of the "
                            "learners, each in a folder with the learner's name")
    for name in gradebook.write(learners, table, class_list):
        say(f"{name}: not in {class_list}, so the last rows")
    for missed, question in predictions(learners)[:MISSED]:
        say(f"predicted, {missed}: {' '.join(question.split())}")
    pictures = draw(learners, picture)
    say(f"{len(learners)} learner{'s' * (len(learners) != 1)}: {', '.join(map(str, [table, *pictures]))}")
    return len(learners)


def _short(text):
    if len(text) <= LONGEST:
        return printable(text)
    return textwrap.shorten(printable(text), LONGEST, placeholder=" ...")
