"""A FollowedProgram: its source and its steps, as text and as a player for a notebook or a page.

Not here: what the player looks like (page.py).
"""
import re

from ..memory_map import descriptions
from . import page
from .steps import steps

HOW = "Followed over the simulated driver."
LATE = "Here, the GPU does its work only when the host waits for it. A real GPU may do it sooner, but not later."


class FollowedProgram:
    """A program that was followed. `steps` has what happened.

    A notebook shows a player, and the text form is a table of steps.
    """

    def __init__(self, name, source, records, outcome):
        self.name, self.source = name, source
        self.steps = steps(records, outcome)
        self.outcome = outcome
        # Why the first piece of work failed that did, as the simulated driver says.
        finished = [work for record in records for work in (record.get("done"), *record.get("meanwhile", ())) if work]
        self.failure = next((work["failure"] for work in finished if work["failure"]), "")

    def code(self, step):
        """The source's line of a step."""
        return self.source.splitlines()[step.line - 1].strip() if step.line else ""

    @property
    def notes(self):
        """How it was followed, what is not drawn, and what the simulated driver says of a kernel that failed.

        Sentences without addresses.
        """
        failure = re.sub("0x[0-9a-f]{6,}", "this address", self.failure.replace("\n", " "))
        explained = [f"The simulated driver says: {failure}"] if failure else []
        late = any(step.pending or step.done or step.meanwhile for step in self.steps)
        return [*explained, *self._left_out(), f"{HOW} {LATE}" if late else HOW]

    def _left_out(self):
        """What is not drawn in at least one step: a list of sentences."""
        most = {}       # name of a list or dict -> how many of its items
        for step in self.steps:
            for name, count in step.scene.left_out.items():
                most[name] = max(count, most.get(name, 0))
        far = (descriptions.not_walked(step.scene) for step in self.steps)
        return list(dict.fromkeys(filter(None, [descriptions.items_left_out(most), *far])))

    def __repr__(self):
        lines = []
        for number, step in enumerate(self.steps, 1):
            mark = "x" if step.wrong else " "
            lines.append(f"{number:3} {mark} {f'line {step.line}' if step.line else 'end':8} {self.code(step)}")
            lines.append(f"{'':15}{step.sentence}")
        return "\n".join([*lines, *self.notes])

    def html(self, alone=True):
        """The player and the table of steps as HTML: see page.html."""
        return page.html(self, alone)

    def _repr_html_(self):
        return self.html()
