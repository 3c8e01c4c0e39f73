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

from ..course import SHORT_ROAD, lesson
from ..notebook.progress_file import record
from .catalogue import EXERCISES
from .listing import LISTINGS

SIZE = 8        # listings in a sitting
SHORT_SIZE = 5  # listings in a sitting about the short road
# Topics of which each sitting has a listing, and no wrong one is forgiven: who passes has met them.
NEEDED = SHORT_ROAD[1:]
BEHIND = {"managed", "processes", "inside", "stream-order"}     # lessons behind the exam that have listings
BETWEEN = " | "     # between the texts of an answer, in the record
SITTING = re.compile(r"sitting ([1-9][0-9]{0,3})")      # the name of its entry


@dataclass(frozen=True)
class FirstAnswer:
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

    def first_answer(self, listing):
        """The FirstAnswer to a listing; None while it is open."""
        entry = record().entry("exam", self._name(listing))
        if not {"answer", "printed", "right"} <= entry.keys():
            return None
        return FirstAnswer(entry["answer"].split(BETWEEN), entry["printed"].split(BETWEEN), entry["right"],
                           entry.get("when", ""), entry.get("driver", ""), entry.get("tries", 1))

    def keep(self, listing, answer, printed, right, driver):
        """Take an answer into the record. Returns its number: 1 for the first, which is the one that counts."""
        first_answer = self.first_answer(listing)
        if first_answer is None:
            record().update("exam", self._name(listing), answer=BETWEEN.join(answer), printed=BETWEEN.join(printed),
                            right=right, when=_now(), driver=driver, tries=1)
            return 1
        record().update("exam", self._name(listing), tries=first_answer.tries + 1)
        return first_answer.tries + 1

    @property
    def answered(self):
        """How many listings are answered."""
        return sum(self.first_answer(listing) is not None for listing in self.listings)

    @property
    def right(self):
        """How many were right on the first try."""
        return sum(first_answer.right for first_answer in map(self.first_answer, self.listings) if first_answer)

    @property
    def complete(self):
        """True once every listing is answered."""
        return self.answered == len(self.listings)

    @property
    def passed(self):
        """Whether enough were right, and those of the lessons that are needed among them."""
        return self.right >= self.enough and not self.missed

    @property
    def enough(self):
        """How many right ones are needed: all but one."""
        return self.drawn - 1

    @property
    def missed(self):
        """The lessons that are needed, and whose listing was not right on the first try."""
        needed = [listing for listing in self.listings if listing.lesson in NEEDED]
        return [lesson(listing.lesson) for listing in needed if not self._is_right(listing)]

    def _is_right(self, listing):
        first_answer = self.first_answer(listing)
        return first_answer is not None and first_answer.right

    @property
    def is_short(self):
        """Whether it asks about the short road only."""
        return self.drawn == SHORT_SIZE

    @property
    def result(self):
        """How it stands, in one sentence."""
        stands = f"{self.right} of {self.drawn} listings right on the first try"
        if self.passed:
            return f"{stands}: passed."
        if self.complete:
            missed = " and ".join(missing.mention for missing in self.missed)
            why_not = f"because {missed} must be right" if missed else f"{self.enough} are needed"
            return f"{stands}: not passed, {why_not}."
        still_open = len(self.listings) - self.answered
        return f"{stands}, {still_open} still open. {self.enough} of {self.drawn} are needed to pass."

    def _name(self, listing):
        return f"{self.number} {listing.id}"


def sittings():
    """Every sitting of the record, in order."""
    drawn = drawn_listings(record().part("exam"))
    return [Sitting(number, tuple(LISTINGS[id_] for id_ in ids if id_ in LISTINGS), len(ids))
            for number, ids in drawn.items()]


def drawn_listings(entries):
    """{number of a sitting: the ids of its listings} of a record's part "exam", whosever it is, in order."""
    drawn = {}
    for name, entry in entries.items():
        match = SITTING.fullmatch(name)
        if match and "drawn" in entry:
            drawn[int(match[1])] = list(dict.fromkeys(entry["drawn"].split()))
    return dict(sorted(drawn.items()))


def results(entries):
    """{number of a sitting: (right on the first try, drawn)} of a record's part "exam", whosever it is."""
    def is_right(number, listing):
        return entries.get(f"{number} {listing}", {}).get("right", False)
    return {number: (sum(is_right(number, listing) for listing in listings[:SIZE]), len(listings))
            for number, listings in drawn_listings(entries).items()}


def sitting(short=False):
    """The latest sitting, of the whole road or the short one; where there is none, one is drawn."""
    earlier = [sitting for sitting in sittings() if sitting.is_short == short]
    return earlier[-1] if earlier else new_sitting(short)


def new_sitting(short=False):
    """Draw another sitting into the record. What was drawn less often comes first."""
    before = sittings()
    number = 1 + max((earlier.number for earlier in before), default=0)
    chance = random.Random() if record().path else random.Random(number)
    predicted = record().part("predictions")
    answered = [name for name, entry in predicted.items() if "answer" in entry]
    missed = [name for name, entry in predicted.items() if entry.get("right") is False and not entry.get("again")]
    drawn_before = [listing.id for earlier in before for listing in earlier.listings]
    drawn = (draw_short(chance, drawn_before, missed) if short
             else draw(chance, drawn_before, _done_behind(), answered, missed))
    record().update("exam", f"sitting {number}", drawn=" ".join(listing.id for listing in drawn), when=_now())
    return Sitting(number, tuple(drawn), len(drawn))


def draw(chance, before=(), behind=(), answered=(), missed=()):
    """Eight listings in the order of their lessons, no idea twice.

    One is of each lesson of NEEDED, one of those behind, and the others each of another part. Those about a prediction
    that was missed come first.

    chance:   a random.Random
    before:   ids of listings that were drawn before, as often as they were
    behind:   lessons behind the exam that are asked about too
    answered: names of predictions that were answered. What only a side trip teaches is asked of those who were there
    missed:   names of predictions that were wrong, and not right since
    """
    left_out = BEHIND.difference(behind)
    pool = [listing for listing in LISTINGS.values()
            if listing.lesson not in left_out and (not listing.after or listing.after in answered)]
    pool = _in_turn(chance, pool, before, missed)
    drawn = [_first_of(pool, topic) for topic in NEEDED]
    by_part = {}
    for listing in pool:
        if listing.lesson not in NEEDED and listing.lesson not in BEHIND:
            by_part.setdefault(listing.part, []).append(listing)
    groups = list(by_part.values())
    if behind:
        groups.insert(0, [listing for listing in pool if listing.lesson in BEHIND])
    for group in groups[:SIZE - len(drawn)]:
        ideas = {listing.idea for listing in drawn}
        drawn.append(next(listing for listing in group if listing.idea not in ideas))
    return sorted(drawn, key=list(LISTINGS.values()).index)


def draw_short(chance, before=(), missed=()):
    """A listing of each lesson of the short road, in their order. Arguments are those of `draw`."""
    pool = _in_turn(chance, [listing for listing in LISTINGS.values() if not listing.after], before, missed)
    return [_first_of(pool, topic) for topic in SHORT_ROAD]


def _in_turn(chance, pool, before, missed):
    """Listings in the order in which they are to be asked."""
    chance.shuffle(pool)
    return sorted(pool, key=lambda listing: (before.count(listing.id), set(listing.about).isdisjoint(missed)))


def _first_of(pool, topic):
    """The first listing of a lesson."""
    return next(listing for listing in pool if listing.lesson == topic)


def _done_behind():
    """The lessons behind the exam whose exercises are all solved."""
    entries = record().part("exercises")
    still_open = {exercise.lesson for exercise in EXERCISES.values() if not entries.get(exercise.id, {}).get("solved")}
    return BEHIND - still_open


def _now():
    """Date and time of here with their offset from UTC, to the minute, as the record keeps them."""
    return datetime.datetime.now().astimezone().isoformat(sep=" ", timespec="minutes")
