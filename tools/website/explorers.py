"""The explorers of lessons 05 and 06 on a page: all their states, of which the style shows the chosen one. They need neither a script nor
a kernel.

What each state says is the explorer's own answer, asked when the site is made: 05's from a recording, and 06's of the simulated driver.
"""
import itertools

from courseware import explorers, sandbox
from courseware.bandwidth import PATTERNS, recorded, wording

from pages import NotAPage

# What lesson 06's explorer is asked about: expressions that it reads, with what made the memory.
MEMORY = """
import numpy as np
import pycuda.driver as cuda
from course_lib import managed, pinned, reservation
from courseware import explorers

numbers = cuda.pagelocked_zeros(8, np.int32)
on_device, pageable = cuda.mem_alloc(32), np.zeros(8, np.int32)
registered = pinned.register(np.zeros(8, np.int32))
managed_memory = managed.allocate(8, np.int32)
reserved = reservation.reserve(reservation.granularity())
gone = cuda.mem_alloc(32)
freed = int(gone)
gone.free()
vars(__import__("__main__")).update(globals())      # where the explorer looks up names
{text: explorers.address(text).html(announced=True) for text in
 ("numbers", "numbers + 12", "registered", "on_device", "on_device + 12", "pageable", "managed_memory",
  "reserved.start", "freed", "0")}
"""


def explored(source):
    """The HTML of the explorer if a cell's source shows one; "" if not."""
    return next((explorer() for call, explorer in EXPLORERS.items() if call in source), "")


def _copy_or_zero_copy():
    recording = recorded("H200")
    measured = [series for series in recording.find("reuse", "pinned") if series.points]
    counts = sorted(set.intersection(*({point.x for point in series.points} for series in measured)))
    choices = {"size": {size: wording.size(size) for size in sorted({series.nbytes for series in measured})},
               "times read": {times: wording.number(times) for times in counts}, "access": {pattern: pattern for pattern in PATTERNS}}

    def answer(size, times, pattern):
        return explorers.copy_or_zero_copy(recording, size=size, reuse=times, pattern=pattern).html(announced=True)
    return _choosing("Copying first, and reading in place", choices, answer)


def _address():
    outcome = sandbox.run(MEMORY, simulated=True)
    if not outcome.ok:
        raise NotAPage(f"The explorer of addresses did not answer: {outcome.ending}\n{outcome.explanation}")
    return _choosing("An address, and what is known of it", {"address": {text: text for text in outcome.value}}, outcome.value.get)


EXPLORERS = {"explorers.copy_or_zero_copy(": _copy_or_zero_copy, "explorers.address(": _address}


def _choosing(title, choices, answer):
    """The HTML of an explorer.

    choices: {legend: {option: its words}}. answer(*options) gives the HTML for one option of each
    """
    names = {legend: legend.partition(" ")[0] for legend in choices}
    controls = ""
    for legend, options in choices.items():
        name = names[legend]
        labels = (f"<label><input type='radio' name='{name}' id='{name}-{number}'{'' if number else ' checked'}> {text}</label>"
                  for number, text in enumerate(options.values()))
        controls += f"<fieldset><legend>{legend}</legend>{''.join(labels)}</fieldset>"
    states, rules = [], []
    for chosen in itertools.product(*(enumerate(options) for options in choices.values())):
        state = "-".join(["state", *(str(number) for number, _ in chosen)])
        states.append(f"<div class='state {state}'>{answer(*(option for _, option in chosen))}</div>")
        checked = "".join(f":has(#{name}-{number}:checked)" for name, (number, _) in zip(names.values(), chosen))
        rules.append(f".explorer{checked} .{state}")
    return (f"<div class='explorer' role='group' aria-label='{title}'><p><b>{title}</b></p>{controls}"
            f"{''.join(states)}<style>{', '.join(rules)} {{ display: block }}</style></div>")
