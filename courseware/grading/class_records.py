"""The records of a class: each checked when it is read, and looked at for what no learner's notebook would have written."""
from dataclasses import dataclass
from pathlib import Path

from ..exercises.catalogue import EXERCISES
from ..exercises.exam_sitting import results
from ..notebook.progress_file import read

MOST_BYTES = 4 << 20    # of a file; a record of the whole course has some ten thousand


@dataclass(frozen=True)
class Learner:
    """One learner, as the record tells."""

    name: str           # the file's, without its ending
    file: str
    record: dict        # part -> {name: fields}, checked
    doubts: tuple       # sentences: what a notebook would not have written

    def exercise(self, name):
        """The fields of an exercise; empty where it was not tried."""
        return self.record["exercises"].get(name, {})

    def sittings(self):
        """{number of a sitting of the exam: (right at the first try, drawn)}."""
        return results(self.record["exam"])


def read_folder(folder):
    """([Learner], [(file's name, why it was not read)]) of every .json file of a folder, by name."""
    learners, refused = [], []
    for path in sorted(Path(folder).glob("*.json")):
        try:
            if path.stat().st_size > MOST_BYTES:
                raise ValueError("too large for a record")
            record = read(path)
        except (ValueError, RecursionError) as error:
            refused.append((path.name, f"damaged, or not a record of the course ({error})"))
        except OSError as error:
            refused.append((path.name, error.strerror or "it cannot be opened"))
        else:
            learners.append(Learner(path.stem, path.name, record, tuple(doubts(record))))
    return learners, refused


def doubts(record):
    """Yield what speaks against a record, in words. A changed answer that is changed well, nobody can tell."""
    for name, entry in record["exercises"].items():
        exercise = EXERCISES.get(name)
        if exercise is None:
            yield f"there is no exercise {name}"
            continue
        tries, hints = entry.get("tries", 0), entry.get("hints", 0)
        if entry.get("solved") and tries < 1:
            yield f"{name} is solved and was never tried"
        if tries < 0 or not 0 <= hints <= len(exercise.hints):
            yield f"{name} has {tries} tries and {hints} hints, of {len(exercise.hints)}"
        unknown = [one for one in entry.get("mistakes", ()) if one not in {mistake.short for mistake in exercise.mistakes}]
        if unknown:
            yield f"{name} has a mistake that the course does not know"
    for name, entry in record["predictions"].items():
        if "right" in entry and "answer" not in entry:
            yield f"the prediction {name} is marked and has no answer"
