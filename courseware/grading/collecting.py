"""Whose record a file is. Its place tells, in a folder or a .zip:

    ada.json, ada-course-progress.json                                  a file for each learner
    ada/course-progress.json                                            a folder for each learner
    Ada Lovelace_12345_assignsubmission_file_/course-progress.json      as Moodle lays it out
    submitted/ada/02_pinned_memory/course-progress.json                 as nbgrader does: a record for each assignment
"""
import contextlib
import re
import tempfile
import zipfile
from pathlib import Path

from course_lib.core.errors import WrongArgument

from ..course import LESSONS

MOODLE = re.compile(r"(.+)_(\d+)_assignsubmission_file_?.*")    # the number is Moodle's, of the participant
NAMED = re.compile(r"(?:(.+?)[-_ ])?course-progress.*|(.+)")
ASIDE = re.compile(r"course-progress.*\.(damaged|before-reset)-\d+")
ASSIGNMENTS = {Path(one.notebook).stem for one in LESSONS}
MOST_BYTES = 4 << 20    # of a file; a record of the whole course has some ten thousand


@contextlib.contextmanager
def opened(place):
    """The folder of that name, or what a .zip has of small .json files, for a while. Raises WrongArgument for neither."""
    place = Path(place)
    if place.is_dir():
        submitted = place / "submitted"     # of an nbgrader course
        yield submitted if submitted.is_dir() else place
        return
    if not zipfile.is_zipfile(place):
        raise WrongArgument(f"there is no folder {place}: put the records there, a file for each learner")
    with zipfile.ZipFile(place) as archive, tempfile.TemporaryDirectory() as folder:
        archive.extractall(folder, [one for one in archive.infolist()
                                    if one.filename.endswith(".json") and one.file_size <= MOST_BYTES])
        yield Path(folder)


def records(folder):
    """Yield (path, parts of the path within the folder) of each file that may be a record."""
    for path in sorted(folder.rglob("*.json")):
        parts = path.relative_to(folder).parts
        other = len(parts) > 2 and not path.name.startswith("course-progress")      # within a copy of the course
        if not (other or ASIDE.fullmatch(path.stem) or any(part.startswith((".", "__MACOSX")) for part in parts)):
            yield path, parts


def whose(parts):
    """(the learner's name, Moodle's number or "") that the parts of a path tell; the name is "" where they tell none."""
    first = parts[0] if len(parts) > 1 else Path(parts[0]).stem
    if moodle := MOODLE.fullmatch(first):
        return moodle.groups()
    return first if len(parts) > 1 else "".join(filter(None, NAMED.fullmatch(first).groups())), ""


def joined(found):
    """One record of several, [(parts of its path, record)]; None where it cannot be told which of them counts.

    Copies count once, and nbgrader's assignments go together. Of two entries for the same thing the solved one counts,
    then a prediction that came in time, then the one with more tries.
    """
    first, *others = [record for _, record in found]
    if all(one == first for one in others):
        return first
    if not all(len(parts) == 3 and parts[1] in ASSIGNMENTS for parts, _ in found):
        return None
    best = {part: {} for part in first if part != "schema"}
    for _, record in found:
        for part, names in best.items():
            names.update((name, max(entry, names.get(name, {}), key=_worth)) for name, entry in record[part].items())
    return best


def _worth(entry):
    return entry.get("solved", False), "answer" in entry and not entry.get("after"), entry.get("tries", 0)
