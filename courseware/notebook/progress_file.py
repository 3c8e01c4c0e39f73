"""The learner's record: what was predicted and solved, kept in one local file.

The file is ``course-progress.json`` in the notebooks' folder. COURSE_PROGRESS names another one, or is "off": then the
record lives as long as the notebook's kernel. Nothing of it leaves this machine.

- Each `update` reads the file, changes one entry and writes the whole anew, under a lock: two notebooks may be open at
  once, and neither loses what the other wrote. While another process keeps the lock, what is new waits in memory; the
  next `update` writes it too, or the end of the notebook's kernel. (On a file system that has no locks there is none.)
- A record that cannot be understood is set aside under another name, never overwritten. A file that is no record, which
  COURSE_PROGRESS names by mistake, is left as it is.
- If the file cannot be read or written, the record goes on in memory, and the next `update` tries again, with all that
  the file lacks. `news` has the sentence that says so, once.

Not here: what the entries mean (predictions/, exercises/), and the overview of them (progress.py).
"""
import atexit
import contextlib
import copy
import fcntl
import functools
import json
import os
import stat
import time
from pathlib import Path

from course_files import write_whole

SCHEMA = 1
FILE = "course-progress.json"
HEAD = b'{\n "schema": '     # how every record begins
LOCK_TIMEOUT = 2    # seconds; another notebook holds the lock for milliseconds
MOST_BYTES = 4 << 20    # of a file; a record of the whole course has some ten thousand
MOST = 10 ** 6          # tries, hints

# part -> field of an entry -> its type
FIELDS = {
    "predictions": {"answer": str, "right": bool, "after": bool, "observed": str, "again": bool},
    "exercises": {"tries": int, "solved": bool, "hints": int, "asked": bool, "solution": bool, "mistakes": list},
    "exam": {"answer": str, "printed": str, "right": bool, "tries": int, "drawn": str, "when": str, "driver": str},
}


class LearnerRecord:
    """One learner's record. `path` is its file; None where it is kept in memory alone."""

    def __init__(self, path=None):
        self.path = Path(os.path.realpath(path)) if path else None
        self._memory = _empty()     # the record, where there is no file to keep it
        self._waiting = []          # (part, name, fields) that the file lacks still
        self._news = []
        self._troubles = []         # why the file could not be used, until it is written again

    def entry(self, part, name):
        """The fields of one entry, as a dict; empty where there is none. part: a key of FIELDS."""
        return self.part(part).get(name, {})

    def part(self, part):
        """{name: entry} of one part of the record."""
        try:
            parts = self._load()
        except OSError as error:
            self._wait(_cannot_be_used(error))
            parts = self._memory
        return self._with_waiting(parts)[part]

    def update(self, part, name, **fields):
        """Set fields of one entry; the others stay."""
        with self.changing(part, name) as entry:
            entry.update(fields)

    @contextlib.contextmanager
    def changing(self, part, name):
        """Gives the fields of one entry, as a dict; those that the block sets are kept. The file is read once, and
        written once if something changed.

        Raises ValueError where a field is none of FIELDS, or has another type.
        """
        with contextlib.ExitStack() as lock:
            before, trouble = self._memory, ""
            try:
                trouble = "" if lock.enter_context(self._locked()) else "is held by another program"
                before = self._load()
            except OSError as error:
                trouble = _cannot_be_used(error)
            entry = copy.deepcopy(self._with_waiting(before)[part].get(name, {}))
            unchanged = copy.deepcopy(entry)
            yield entry
            fields = {field: value for field, value in entry.items()
                      if field not in unchanged or unchanged[field] != value}
            wrong = {field for field, value in fields.items() if type(value) is not FIELDS[part].get(field)}
            if wrong:
                raise ValueError(f"{part}: no such fields, or of another type: {', '.join(sorted(wrong))}")
            self._waiting += [(part, name, fields)] if fields else []
            if self._waiting:
                self._write(before, trouble)

    def reset(self):
        """Begin an empty record. Returns the file that keeps what was in it; None where nothing was on disk.

        Raises OSError where the file cannot be set aside: then the record stays as it is.
        """
        with self._locked() as locked:
            if not locked:
                raise OSError(f"{self.path.name} is held by another program")
            if self._waiting:
                self._save(self._with_waiting(self._load()))
            aside = self._set_aside("before-reset") if self.path and self.path.exists() else None
            self._waiting, self._memory = [], _empty()
        return aside

    def news(self):
        """What the learner should be told of the record itself: a list of sentences, each given out once."""
        news, self._news = self._news, []
        return news

    def _write(self, before, trouble):
        """Write what waits to be written. before: what the file holds; trouble: why that cannot be, or """""
        if not trouble:
            try:
                self._save(self._with_waiting(before))
            except OSError as error:
                trouble = _cannot_be_used(error)
        if trouble:
            self._wait(trouble)
            return
        self._waiting.clear()
        if self._troubles and self.path:
            self._troubles.clear()
            self._news.append(f"{self.path.name} is written again, with all of your answers.")

    def _wait(self, why):
        """Let what is new wait in memory, and say so, once for each reason."""
        if why not in self._troubles:
            self._troubles.append(why)
            self._news.append(f"{self.path.name} {why}. Your answers wait here, and are written with the next one, or "
                              "when this notebook's kernel ends.")
        atexit.unregister(self._at_the_end)     # so that it is registered once
        atexit.register(self._at_the_end)

    def _at_the_end(self):
        if self._waiting:
            with contextlib.suppress(OSError), self._locked() as locked:
                if locked:
                    self._save(self._with_waiting(self._load()))

    def _with_waiting(self, data):
        """A copy of the record with what the file lacks still."""
        data = copy.deepcopy(data)
        for part, name, fields in self._waiting:
            data[part].setdefault(name, {}).update(fields)
        return data

    @contextlib.contextmanager
    def _locked(self):
        """Let one process at a time change the file; gives whether this is the one.

        The lock is on the file's folder, so that no other file is left behind.
        """
        if self.path is None:
            yield True
            return
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            end = time.monotonic() + LOCK_TIMEOUT
            while not (locked := _lock(folder)) and time.monotonic() < end:
                time.sleep(0.01)
            yield locked
        finally:
            os.close(folder)    # which unlocks it

    def _load(self):
        """The whole record, from the file where there is one."""
        if self.path is None:
            return self._memory
        try:
            text = content(self.path)
        except FileNotFoundError:
            return _empty()
        try:
            self._memory = checked(text)
        except NewerRecord:
            self._news.append(f"{self.path.name} was written by a newer version of the course and is left as it is: "
                              "your answers are kept until this notebook's kernel ends.")
            self.path = None
        except (ValueError, RecursionError):
            if self.path.name != FILE and not text.startswith(HEAD):
                raise OSError(0, "it is not a record of the course, and is left as it is: let COURSE_PROGRESS name a "
                                 "new file") from None
            self._damaged()
            return _empty()
        return self._memory

    def _set_aside(self, why):
        """Rename the file, to ``course-progress.damaged-1.json``. Returns its new path."""
        stem, suffix = self.path.stem, self.path.suffix
        numbered = (self.path.with_name(f"{stem}.{why}-{number}{suffix}") for number in range(1, 10000))
        aside = next(path for path in numbered if not path.exists())
        self.path.rename(aside)
        return aside

    def _damaged(self):
        aside = self._set_aside("damaged")
        self._news.append(f"{self.path.name} could not be understood. It is kept as {aside.name}, and a new record "
                          "begins.")

    def _save(self, data):
        """Write the whole file or nothing of it. It keeps its permissions, and a hard link to it keeps what it holds: a
        backup."""
        self._memory = data
        if self.path is not None:
            write_whole(self.path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")


class NewerRecord(ValueError):
    """A record of a version of the course that this one does not know."""


def checked(text):
    """{part: {name: fields}} of what the file of a record holds, in bytes.

    Raises NewerRecord, or ValueError or RecursionError where it is no record.
    """
    data = json.loads(text)
    if not isinstance(data, dict) or type(data.get("schema")) is not int or data["schema"] < SCHEMA:
        raise ValueError("not a record, or of an unknown version")
    if data["schema"] > SCHEMA:
        raise NewerRecord("written by a newer version of the course")
    for part, fields in FIELDS.items():
        entries = data.setdefault(part, {})
        if not isinstance(entries, dict) or not all(isinstance(entry, dict) for entry in entries.values()):
            raise ValueError(f"{part} is not a table")
        for name, entry in entries.items():
            if any(type(value) is not fields[field] for field, value in entry.items() if field in fields):
                raise ValueError(f"{part}, {name}: a field has a wrong type")
            if not all(isinstance(mistake, str) for mistake in entry.get("mistakes", ())):
                raise ValueError(f"{part}, {name}: a mistake that is not text")
            if any(abs(value) > MOST for value in entry.values() if type(value) is int):
                raise ValueError(f"{part}, {name}: a number that no notebook counts to")
    json.dumps(data, ensure_ascii=False).encode()       # raises ValueError for half a character, which no file can hold
    return data


def content(path, follow=True):
    """The bytes of a file that may be a record. follow: where it is a link, what it leads to

    Raises OSError, also for what is no regular file (reading a pipe waits for its writer), and for one that is too
    large.
    """
    if not follow and os.path.islink(path):
        raise OSError(0, "it is a link, and may lead to another's file")
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW))
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError(0, "it is not a regular file")
        with open(number, "rb", closefd=False) as file:
            text = file.read(MOST_BYTES + 1)
    finally:
        os.close(number)
    if len(text) > MOST_BYTES:
        raise OSError(0, "it is too large")
    return text


@functools.cache
def record():
    """This process's LearnerRecord: of the file that COURSE_PROGRESS names, see above."""
    # A kernel's folder is its notebook's, and side trips lie one further down: there is one record for all of them.
    folder = Path.cwd()
    usual = (folder.parent if folder.name == "side_trips" else folder) / FILE
    return LearnerRecord(None if is_off() else os.path.expanduser(_named()) or usual)


def is_off():
    """Whether there is no learner: COURSE_PROGRESS is "off"."""
    return _named().lower() == "off"


def _named():
    return os.environ.get("COURSE_PROGRESS", "").strip()


def _lock(folder):
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    except OSError:     # a file system without such locks
        return True


def _cannot_be_used(error):
    return f"cannot be used ({error.strerror or error})"


def _empty():
    return {"schema": SCHEMA, **{part: {} for part in FIELDS}}
