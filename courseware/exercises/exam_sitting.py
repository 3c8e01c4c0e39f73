"""Sittings of the exam: which eight listings were drawn, and what was answered first. They are kept in the record.

The first answer to a listing stays; a later one only counts as a try. Every sitting is kept. Where no record is kept
on disk the draw is always the same, so that a notebook's stored outputs are. What an older version of the course kept
of its exam lies under other names, and is left alone.

A lesson that stands behind the exam is asked about once all its exercises are solved: one listing of one such lesson.

Not here: the listings (listing.py), and how they are shown and marked (exam.py, exam_marking.py).
"""
import datetime
import random
import re
from dataclasses import dataclass

from ..notebook.progress_file import record
from .catalogue import EXERCISES
from .listing import LISTINGS

SIZE = 8        # listings in a sitting
ENOUGH = 7      # of these right at the first try, to pass
BEHIND = {"managed", "processes", "inside"}     # lessons behind the exam that have listings
BETWEEN = " | "     # between the texts of an answer, in the record
SITTING = re.compile(r"sitting ([1-9][0-9]{0,3})")      # the name of its entry


@dataclass(frozen=True)
class First:
    """The first answer to a listing, as the record has it."""

    answer: list        # a text for each marked line
    printed: list
    right: bool
    when: str           # date and time, with the zone
    driver: str
    tries: int          # how often it was answered, the first time included


@dataclass(frozen=True)
class Sitting:
    """Eight listings, and what became of them."""

    number: int         # from 1
    listings: tuple     # of Listing; one that a newer course has no more is left out
    drawn: int          # how many there were

    def first(self, listing):
        """The First of a listing; None while it is open."""
        kept = record().entry("exam", self._name(listing))
        if not {"answer", "printed", "right"} <= kept.keys():
            return None
        return First(kept["answer"].split(BETWEEN), kept["printed"].split(BETWEEN), kept["right"], kept.get("when", ""),
                     kept.get("driver", ""), kept.get("tries", 1))

    def keep(self, listing, answer, printed, right, driver):
        """Take an answer into the record. Returns its number: 1 for the first, which is the one that counts."""
        first = self.first(listing)
        if first is None:
            record().update("exam", self._name(listing), answer=BETWEEN.join(answer), printed=BETWEEN.join(printed),
                            right=right, when=_now(), driver=driver, tries=1)
            return 1
        record().update("exam", self._name(listing), tries=first.tries + 1)
        return first.tries + 1

    @property
    def answered(self):
        """How many listings are answered."""
        return sum(self.first(one) is not None for one in self.listings)

    @property
    def right(self):
        """How many were right at the first try."""
        return sum(first.right for first in map(self.first, self.listings) if first)

    @property
    def complete(self):
        """True once every listing is answered."""
        return self.answered == len(self.listings)

    @property
    def passed(self):
        """True from ENOUGH right ones on."""
        return self.right >= ENOUGH

    @property
    def result(self):
        """How it stands, in one sentence."""
        stands = f"{self.right} of {self.drawn} listings right at the first try"
        if self.passed:
            return f"{stands}: passed."
        if self.complete:
            return f"{stands}: not passed, {ENOUGH} are needed."
        still = len(self.listings) - self.answered
        return f"{stands}, {still} still open. {ENOUGH} of {self.drawn} are needed to pass."

    def _name(self, listing):
        return f"{self.number} {listing.id}"


def sittings():
    """Every sitting of the record, in order."""
    return [Sitting(number, tuple(LISTINGS[one] for one in listings if one in LISTINGS), len(listings))
            for number, listings in drawn_listings(record().part("exam")).items()]


def drawn_listings(kept):
    """{number of a sitting: the ids of its listings} of a record's part "exam", whosever it is, in order."""
    found = {int(match[1]): list(dict.fromkeys(entry["drawn"].split())) for name, entry in kept.items()
             if (match := SITTING.fullmatch(name)) and "drawn" in entry}
    return dict(sorted(found.items()))


def results(kept):
    """{number of a sitting: (right at the first try, drawn)} of a record's part "exam", whosever it is."""
    return {number: (sum(kept.get(f"{number} {one}", {}).get("right", False) for one in listings[:SIZE]), len(listings))
            for number, listings in drawn_listings(kept).items()}


def sitting():
    """The latest sitting; where there is none, one is drawn."""
    return (sittings() or [new_sitting()])[-1]


def new_sitting():
    """Draw another sitting into the record. What was drawn less often comes first."""
    before = sittings()
    number = 1 + max((one.number for one in before), default=0)
    chance = random.Random() if record().path else random.Random(number)
    predicted = record().part("predictions")
    answered = [name for name, entry in predicted.items() if "answer" in entry]
    missed = [name for name, entry in predicted.items() if entry.get("right") is False and not entry.get("again")]
    drawn = draw(chance, [listing.id for one in before for listing in one.listings], _done_behind(), answered, missed)
    record().update("exam", f"sitting {number}", drawn=" ".join(one.id for one in drawn), when=_now())
    return Sitting(number, tuple(drawn), len(drawn))


def draw(chance, before=(), behind=(), answered=(), missed=()):
    """Eight listings in the order of their lessons: of each part at least one, one of those behind, no idea twice. Those about
    a prediction that was missed come first.

    chance:   a random.Random
    before:   ids of listings that were drawn before, as often as they were
    behind:   lessons behind the exam that are asked about too
    answered: names of predictions that were answered. What only a side trip teaches is asked of those who were there
    missed:   names of predictions that were wrong, and not right since
    """
    pool = [one for one in LISTINGS.values() if one.lesson not in BEHIND or one.lesson in behind]
    chance.shuffle(pool)
    pool = [one for one in pool if not one.after or one.after in answered]
    pool.sort(key=lambda one: (before.count(one.id), set(one.about).isdisjoint(missed)))
    drawn = []

    def take(candidates):
        ideas = {one.idea for one in drawn}
        drawn.append(next(one for one in candidates if one.idea not in ideas))

    for part in dict.fromkeys(one.part for one in LISTINGS.values() if one.lesson not in BEHIND):
        take(one for one in pool if one.part == part)
    if behind:
        take(one for one in pool if one.lesson in BEHIND)
    while len(drawn) < SIZE:
        take(pool)
    return sorted(drawn, key=list(LISTINGS.values()).index)


def _done_behind():
    """The lessons behind the exam whose exercises are all solved."""
    kept = record().part("exercises")
    return {lesson for lesson in BEHIND
            if all(kept.get(one.id, {}).get("solved") for one in EXERCISES.values() if one.lesson == lesson)}


def _now():
    return datetime.datetime.now().astimezone().isoformat(sep=" ", timespec="minutes")
