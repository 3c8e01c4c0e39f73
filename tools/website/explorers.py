"""Explorers on a page: all states of one, of which the style shows the chosen one. It needs neither a script nor a kernel.

What each state says is the explorer's own answer, asked when the site is made: of lesson 09's over the simulated driver, of lesson
05's from a recording.
"""
import html
import itertools
import re

from courseware import explorers
from courseware.bandwidth import PATTERNS, recorded, wording
from courseware.explorers.reservation_steps import NAMES

import pycuda.autoinit  # noqa: F401

STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)        # of a map: the site's style has it


def _reservation(step, place):
    return explorers.reservation_steps(step, place)


def _copying(size, times, pattern):
    return explorers.copy_or_zero_copy(recorded("H200"), size=size, reuse=times, pattern=pattern)


def _steps():
    choices = [("step", [(name, f"{number} {name}") for number, name in enumerate(NAMES)]),
               ("memory", [("device", "on the device"), ("host", "on the host")])]
    return choices, _reservation


def _reuse():
    runs = [run for run in recorded("H200").find("reuse", "pinned") if run.points]
    sizes = sorted({run.nbytes for run in runs})
    counts = sorted(set.intersection(*({point.x for point in run.points} for run in runs)))
    return [("size", [(size, wording.size(size)) for size in sizes]), ("times read", [(times, wording.number(times)) for times in counts]),
            ("access", [(pattern, pattern) for pattern in PATTERNS])], _copying


# What a cell has that shows an explorer -> (its name, its title, its choices and what answers one).
EXPLORERS = {"explorers.reservation_steps()": ("reservation", "A reservation, step by step", _steps),
             "explorers.copy_or_zero_copy(": ("reuse", "Copying first, and reading in place", _reuse)}


def explored(source):
    """The HTML of the explorer that a cell's source shows; "" where it shows none that has its states here."""
    return next((_explorer(name, title, *states()) for call, (name, title, states) in EXPLORERS.items() if call in source), "")


def _explorer(name, title, choices, answer):
    controls = "".join(
        f"<fieldset><legend>{label}</legend>"
        + "".join(f"<label><input type='radio' name='{name}-{group}' id='{name}-{group}-{number}'{' checked' if not number else ''}> "
                  f"{html.escape(text)}</label>" for number, (_, text) in enumerate(options)) + "</fieldset>"
        for group, (label, options) in enumerate(choices))
    states, rules = [], []
    for numbers in itertools.product(*(range(len(options)) for _, options in choices)):
        state = "-".join([name, *map(str, numbers)])
        chosen = "".join(f":has(#{name}-{group}-{number}:checked)" for group, number in enumerate(numbers))
        text = answer(*(choices[group][1][number][0] for group, number in enumerate(numbers)))
        states.append(f"<div class='state {state}'>{STYLE.sub('', text.html(announced=True))}</div>")
        rules.append(f".explorer{chosen} .{state}")
    return (f"<div class='explorer' role='group' aria-label='{html.escape(title)}'><p><b>{html.escape(title)}</b></p>{controls}"
            f"{''.join(states)}<style>{', '.join(rules)} {{ display: block }}</style></div>")
