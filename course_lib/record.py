"""The learner's record: what was predicted and solved, kept in one local file.

The file is ``course-progress.json`` in the notebooks' folder. COURSE_PROGRESS names another one, or is "off": then the
record lives as long as the notebook's kernel. Nothing of it leaves this machine.

- Each `update` reads the file, changes one entry and writes the whole anew, under a lock: two notebooks may be open at
  once, and neither loses what the other wrote.
- A file that cannot be understood is set aside under another name, never overwritten.
- Where the file cannot be written, the record goes on in memory. `news` has the sentence that says so, once.

Not here: what the entries mean (predict.py, exercises/), and the overview of them (progress.py).
"""
import contextlib
import copy
import fcntl
import functools
import json
import os
import time
from pathlib import Path

SCHEMA = 1
FILE = "course-progress.json"
LOCK_TIMEOUT = 2    # seconds; whoever holds the lock holds it for milliseconds

# part -> field of an entry -> its type
FIELDS = {
    "predictions": {"answer": str, "right": bool, "after": bool},
    "exercises": {"tries": int, "solved": bool, "hints": int, "asked": bool, "solution": bool},
    "exam": {"answer": str, "right": bool},
}


class Record:
    """One learner's record. `path` is its file; None where it is kept in memory alone."""

    def __init__(self, path=None):
        self.path = Path(os.path.realpath(path)) if path else None
        self._memory = _empty()     # the record, where there is no file to keep it
        self._news = []

    def entry(self, part, name):
        """The fields of one entry, as a dict; empty where there is none. part: a key of FIELDS."""
        return self.part(part).get(name, {})

    def part(self, part):
        """{name: entry} of one part of the record."""
        with self._in_memory_if_it_fails("read"):
            return copy.deepcopy(self._load()[part])
        return copy.deepcopy(self._memory[part])

    def update(self, part, name, **fields):
        """Set fields of one entry; the others stay."""
        wrong = {field for field, value in fields.items() if type(value) is not FIELDS[part].get(field)}
        if wrong:
            raise ValueError(f"{part}: no such fields, or of another type: {', '.join(sorted(wrong))}")
        with self._in_memory_if_it_fails("written"), self._locked():
            data = self._load()
            data[part].setdefault(name, {}).update(fields)
            self._save(data)
            return
        self._memory[part].setdefault(name, {}).update(fields)

    def news(self):
        """What the learner should be told of the record itself: a list of sentences, each given out once."""
        told, self._news = self._news, []
        return told

    @contextlib.contextmanager
    def _in_memory_if_it_fails(self, what):
        """The block works on the file. Where that fails, go on in memory, from what the file last held."""
        try:
            yield
        except OSError as error:
            self._news.append(f"{self.path.name} cannot be {what} ({os.strerror(error.errno or 5)}): your answers are "
                              "kept until this notebook's kernel ends.")
            self.path = None

    @contextlib.contextmanager
    def _locked(self):
        """Let one process at a time change the file. The lock is on its folder, so that no file is left behind."""
        if self.path is None:
            yield
            return
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            end = time.monotonic() + LOCK_TIMEOUT
            while not _lock(folder) and time.monotonic() < end:
                time.sleep(0.01)
            yield
        finally:
            os.close(folder)    # which unlocks it

    def _load(self):
        """The whole record, from the file where there is one."""
        if self.path is None:
            return self._memory
        try:
            text = self.path.read_bytes()
        except FileNotFoundError:
            return _empty()
        try:
            data = json.loads(text)
            if isinstance(data, dict) and type(data.get("schema")) is int and data["schema"] > SCHEMA:
                self._news.append(f"{self.path.name} was written by a newer version of the course and is left as it "
                                  "is: your answers are kept until this notebook's kernel ends.")
                self.path = None
                return self._memory
            self._memory = _checked(data)
        except (ValueError, RecursionError):
            self._set_aside()
            return _empty()
        return copy.deepcopy(self._memory)

    def _set_aside(self):
        numbered = (self.path.with_name(f"{self.path.stem}.damaged-{number}{self.path.suffix}")
                    for number in range(1, 10000))
        aside = next(path for path in numbered if not path.exists())
        self.path.rename(aside)
        self._news.append(f"{self.path.name} could not be understood. It is kept as {aside.name}, and a new record "
                          "begins.")

    def _save(self, data):
        """Write the whole file or nothing of it."""
        self._memory = data
        if self.path is None:
            return
        partial = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            partial.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            os.replace(partial, self.path)
        except OSError:
            with contextlib.suppress(OSError):
                partial.unlink()
            raise


@functools.cache
def record():
    """This process's Record: of the file that COURSE_PROGRESS names, see above."""
    named = os.environ.get("COURSE_PROGRESS", "").strip()
    return Record(None if named.lower() == "off" else os.path.expanduser(named) or FILE)


def _lock(folder):
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    except OSError:     # a file system without such locks: then without
        return True


def _empty():
    return {"schema": SCHEMA, **{part: {} for part in FIELDS}}


def _checked(data):
    """The record that a file holds. Raises ValueError where it is none."""
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise ValueError("no record, or of no known version")
    for part, fields in FIELDS.items():
        entries = data.setdefault(part, {})
        if not isinstance(entries, dict) or not all(isinstance(entry, dict) for entry in entries.values()):
            raise ValueError(f"{part} is no table")
        for name, entry in entries.items():
            if any(type(value) is not fields[field] for field, value in entry.items() if field in fields):
                raise ValueError(f"{part}, {name}: a field has a wrong type")
    return data
