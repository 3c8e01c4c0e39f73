"""Which files of a folder or a .zip are records, and whose. A file's place tells:

    ada.json, ada-course-progress.json                                  a file for each learner
    ada/course-progress.json                                            a folder for each learner
    Ada Lovelace_12345_assignsubmission_file_/course-progress.json      as Moodle lays it out
    submitted/ada/02_pinned_memory/course-progress.json                 as nbgrader does: a record for each assignment
"""
import functools
import re
import zipfile
import zlib
from pathlib import Path

from course_lib.core.errors import WrongArgument

from ..course import LESSONS
from ..notebook.progress_file import MOST_BYTES, content

MOODLE = re.compile(r"(.+)_(\d+)_assignsubmission_file_?.*")    # the number is Moodle's, of the participant
NAMED = re.compile(r"(?:(.+?)[-_ ])?course-progress.*|(.+)")
ASIDE = re.compile(r"course-progress.*\.(damaged|before-reset)-\d+")
ASSIGNMENTS = {Path(lesson.notebook).stem for lesson in LESSONS}


def records(place):
    """Yield (parts of a file's path, function that reads its bytes) of each file that may be a record, by name.

    place: a folder, also of an nbgrader course, or a .zip. Raises WrongArgument for neither
    """
    place = Path(place)
    if place.is_dir():
        folder = place / "submitted" if (place / "submitted").is_dir() else place
        # A link may lead to another learner's record.
        files = [(path.relative_to(folder).parts, functools.partial(content, path, follow=False))
                 for path in folder.rglob("*.json")]
    elif zipfile.is_zipfile(place):
        archive = zipfile.ZipFile(place)
        members = [member for member in archive.infolist() if member.filename.endswith(".json")]
        files = [(_parts(member.filename), functools.partial(_unpacked, archive, member)) for member in members]
    else:
        raise WrongArgument(f"there is no folder {place}: put the records there, a file for each learner")
    for parts, read in sorted(files, key=lambda file: file[0]):
        if _may_be_record(parts):
            yield tuple(map(printable, parts)), read


def _may_be_record(parts):
    if any(part.startswith((".", "__MACOSX")) for part in parts) or ASIDE.fullmatch(Path(parts[-1]).stem):
        return False
    return len(parts) <= 2 or parts[-1].startswith("course-progress")       # another one is within a copy of the course


def _parts(filename):
    """The parts of a file's path within a .zip, without those that lead out of it."""
    return tuple(part for part in filename.split("/") if part not in ("", ".", ".."))


def _unpacked(archive, member):
    """The bytes of a file of a .zip. Raises OSError."""
    try:
        with archive.open(member) as file:
            text = file.read(MOST_BYTES + 1)
    except (RuntimeError, zipfile.BadZipFile, zlib.error) as error:     # a password, an unknown compression, damage
        raise OSError(0, str(error)) from None
    if len(text) > MOST_BYTES:
        raise OSError(0, "it is too large for a record")
    return text


def printable(text):
    """A text that others wrote, as a terminal may show it: what moves the cursor, colours or turns it, as its code."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def whose(parts):
    """(the learner's name, Moodle's number or "") that the parts of a path tell; the name is "" where they do not."""
    in_a_folder = len(parts) > 1
    name = parts[0] if in_a_folder else Path(parts[0]).stem
    if moodle := MOODLE.fullmatch(name):
        return moodle.groups()
    if in_a_folder:
        return name, ""
    before, other = NAMED.fullmatch(name).groups()
    return before or other or "", ""


def joined(records):
    """One record of several, [(parts of its path, record)]; None where it cannot be told which of them counts.

    Copies count once, and nbgrader's assignments go together. Of two entries for the same thing the solved one counts,
    then a prediction that came in time, then the one with more tries.
    """
    first_record, *other_records = [record for _, record in records]
    if all(record == first_record for record in other_records):
        return first_record
    if not all(len(parts) == 3 and parts[1] in ASSIGNMENTS for parts, _ in records):
        return None
    best = {section: {} for section in first_record if section != "schema"}
    for _, record in records:
        for section, entries in best.items():
            for name, entry in record[section].items():
                entries[name] = max(entry, entries.get(name, {}), key=_worth)
    return best


def _worth(entry):
    return entry.get("solved", False), "answer" in entry and not entry.get("after"), entry.get("tries", 0)
