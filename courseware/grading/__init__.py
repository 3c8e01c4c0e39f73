"""``python -m courseware grade FOLDER``: the records of a class as a table, and as one picture of what it got wrong.

    class_records     the records of a folder, and what speaks against one of them
    table             a row for each learner and exercise, as CSV
    picture           one page: which exercises were hard, which mistakes were met, which predictions were wrong

A record is a learner's own file (notebook/progress_file.py). It is read as data, and nothing of it is run.
"""
from pathlib import Path

from course_lib.core.errors import WrongArgument

from .class_records import read_folder
from .picture import draw
from .table import write

__all__ = ["grade"]


def grade(folder, table="class.csv", picture="class.png", say=print):
    """Read every record of a folder, write the table and the picture, and say what was read and what was not.

    folder:  with a file for each learner, ``ada.json``
    table:   the CSV file to write; picture: the PNG file to write
    say:     is called with each sentence

    Returns how many records were read. Raises WrongArgument where the folder is none, or has no record that can be read.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise WrongArgument(f"there is no folder {folder}: put the records there, a file for each learner")
    learners, refused = read_folder(folder)
    for name, why in refused:
        say(f"{name}: not read, {why}")
    for one in learners:
        for doubt in one.doubts:
            say(f"{one.file}: looks made by hand, {doubt}")
    if not learners:
        raise WrongArgument(f"no record in {folder} can be read: they are the files course-progress.json of the learners, "
                            "each under the learner's name")
    write(learners, table)
    draw(learners, picture)
    say(f"{len(learners)} learner{'s' * (len(learners) != 1)}: {table}, {picture}")
    return len(learners)
