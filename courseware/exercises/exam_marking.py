"""Marking a listing of the exam: it is run in a process of its own, and what it printed is set beside the prediction.

The right option is the one that the run printed. Where the run prints none of the options, or cannot be made, the
options are judged by what is recorded, and the learner is told so.

Not here: which listings there are (listing.py), and what becomes of the answer (exam_sitting.py).
"""
import textwrap
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from course_lib.core import tables

from .. import sandbox
from .listing import Listing, printed_by

SECONDS = 60    # a run takes one; a crowded machine may need more
AT_A_TIME = 4   # processes: a whole exam handed in at once need not be eight


@dataclass(frozen=True)
class Marked:
    """A prediction, and what was really printed: a text for each marked line."""

    listing: Listing
    answer: tuple
    printed: tuple
    doubt: str = ""     # where the run was of no use: what it printed or why there was none

    @property
    def right(self):
        """True where every line was predicted."""
        return self.answer == self.printed

    def feedback(self, number, tries):
        """The text for the learner. number: of the listing in the sitting; tries: how often it was answered."""
        outcome = "right" if self.right else "not right"
        head = f"Listing {number}: {outcome}."
        if tries > 1:
            head = f"Listing {number}, try {tries}: {outcome} now. The first try counts."
        lines = [(str(line), chosen, printed, "" if chosen == printed else "<- wrong")
                 for line, (chosen, printed) in enumerate(zip(self.answer, self.printed), 1)]
        table = tables.text(lines, ("line", "you predicted", "it printed", "")) + "\n"
        paragraphs = [head, textwrap.indent(table, "    ").rstrip(), *filter(None, [self.doubt])]
        for line, chosen, printed, wrong in lines:
            see = self.listing.lines[int(line) - 1].wrong.get(chosen)
            if wrong and see:
                paragraphs.append(f"Line {line} printed `{printed}`, and not `{chosen}`. {see.why} See {see.link}.")
        return "\n\n".join(paragraphs)


def mark(answers):
    """Run listings and mark their answers: {listing: texts} -> a list of Marked, in the same order."""
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        return list(pool.map(_mark, answers, answers.values()))


def _mark(listing, answer):
    try:
        printed = printed_by(sandbox.run(listing.source, timeout=SECONDS), len(listing.lines))
        doubt = "On this driver the listing printed something that is not among the options: "
        doubt += ", ".join(f"`{text}`" for text in printed)
    except RuntimeError as error:   # no driver for another process
        printed, doubt = None, f"The listing could not be run: {error}"
    if printed is None or any(text not in line.options for text, line in zip(printed, listing.lines)):
        return Marked(listing, tuple(answer), tuple(listing.expected), f"{doubt}. It is marked by what is recorded.")
    return Marked(listing, tuple(answer), tuple(printed))
